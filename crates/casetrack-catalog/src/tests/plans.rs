//! Which rows a question reads, which its answer does not depend on.

use super::*;

#[test]
fn every_plan_gives_the_same_answer() {
    let disk = Disk::new();
    for i in 0..300 {
        disk.write(format!("{}/Report {i}.{}", i % 3, if i % 2 == 0 { "pdf" } else { "txt" }), "x");
    }
    disk.scan();
    // Some names are indexed, others are read.
    disk.catalog.index(&Cancel::default()).unwrap();
    for i in 300..400 {
        disk.write(format!("{}/Report {i}.pdf", i % 3), "x");
    }
    disk.scan();
    let patterns = vec![Pattern::contains(Target::Name, "REPORT 2"), Pattern::extension("pdf").unwrap()];
    let orders = [TimeField::Modified, TimeField::Changed, TimeField::Created, TimeField::FirstSeen];
    let orders = orders.map(|field| [Order::Newest(field), Order::Oldest(field)]);
    let range = TimeRange { from: Some(Time::parse("2020-01-01T00:00:00Z").unwrap()), to: None };
    for order in [Order::Path, Order::Largest].into_iter().chain(orders.into_iter().flatten()) {
        let time = Some((TimeField::FirstSeen, range));
        let query = Query { order, time, patterns: patterns.clone(), ..disk.query() };
        let plans = [query::Plan::Folder, query::Plan::Names, query::Plan::Range, query::Plan::Order];
        let answers: Vec<Vec<PathBuf>> = plans
            .into_iter()
            .filter(|plan| *plan != query::Plan::Order || order != Order::Path)
            .map(|plan| {
                let found = query.run_as(&disk.catalog.writer(), plan, &|_| false, &Cancel::default()).unwrap();
                found.entries.into_iter().map(|entry| entry.path).collect()
            })
            .collect();
        assert!(answers[0].len() > 50 && answers.iter().all(|answer| *answer == answers[0]), "{order:?}");
    }
}

/// No question about a time that is kept reads all rows for a page.
#[test]
fn each_order_and_range_has_an_index() {
    let disk = Disk::new();
    for i in 0..100 {
        disk.write(format!("{i}"), "x");
    }
    disk.scan();
    disk.catalog.index(&Cancel::default()).unwrap();
    let middle =
        disk.find(&Query { order: Order::Oldest(TimeField::FirstSeen), ..disk.query() }).entries[50].first_seen;
    for i in 100..120 {
        disk.write(format!("{i}"), "x");
    }
    disk.scan();
    disk.catalog.index(&Cancel::default()).unwrap();
    let plan = |query: &Query| query.plan(&disk.catalog.writer()).unwrap();
    for field in [TimeField::Modified, TimeField::Changed, TimeField::Created, TimeField::FirstSeen] {
        for order in [Order::Newest(field), Order::Oldest(field)] {
            assert_eq!(plan(&Query { order, limit: 10, ..disk.query() }), query::Plan::Order, "{order:?}");
        }
    }
    let time = |from, to| Some((TimeField::FirstSeen, TimeRange { from, to }));
    let few = Query { time: time(None, Some(middle)), limit: 10, ..disk.query() };
    assert_eq!(plan(&Query { time: time(Some(middle), None), ..few.clone() }), query::Plan::Folder);
    let none = Query { time: time(None, Some(Time { seconds: 1, nanoseconds: 0 })), ..few.clone() };
    assert_eq!(plan(&none), query::Plan::Range);
    assert!(disk.find(&none).entries.is_empty());
    assert_eq!(disk.find(&Query { limit: 1_000, ..few }).entries.len(), 50);
}

#[test]
fn times_of_a_first_meeting_rise_from_entry_to_entry() {
    let disk = Disk::new();
    for i in 0..200 {
        disk.write(format!("{}/{i}", i % 7), "x");
        if i % 50 == 0 {
            disk.scan();
        }
    }
    disk.scan();
    let mut seen = Vec::new();
    disk.catalog.each(disk.root.path(), &Cancel::default(), |entry| seen.push((entry.id, entry.first_seen))).unwrap();
    seen.sort();
    assert!(seen.len() > 200 && seen.windows(2).all(|pair| pair[0].1 < pair[1].1));
    let newest = disk.find(&Query { order: Order::Newest(TimeField::FirstSeen), ..disk.query() });
    assert!(newest.entries.windows(2).all(|pair| pair[0].id > pair[1].id));
}

//! How fast sums and questions are at a million entries. Run by hand: `cargo test --release -p casetrack-catalog --lib -- --ignored --nocapture space::tests::speed`.

use std::time::Instant;

use super::*;

#[test]
#[ignore = "a measurement"]
fn sums_and_questions_of_a_million_entries() {
    let disk = Disk::new();
    let folders = 20_000;
    for folder in 0..folders {
        let path = disk.path(format!("d{}/d{folder}", folder % 200));
        fs::create_dir_all(&path).unwrap();
        for file in 0..50 {
            fs::File::create(path.join(format!("Report {file} of {folder}.pdf"))).unwrap();
        }
    }
    let timed = |what: &str, work: &mut dyn FnMut()| {
        let started = Instant::now();
        work();
        println!("{what}: {:?}", started.elapsed());
    };
    timed("first scan", &mut || disk.scan());
    timed("fill a set", &mut || drop(disk.fill("set", Mode::Append)));
    disk.space.rest_after(std::time::Duration::ZERO);
    timed("first sum", &mut || drop(disk.space.sum("set", None).unwrap()));
    for _ in 0..3 {
        timed("sum", &mut || drop(disk.space.sum("set", None).unwrap()));
    }
    disk.write("d1/new", 1);
    disk.scan();
    timed("sum after a change", &mut || drop(disk.space.sum("set", None).unwrap()));
    disk.add("folder", &["d1", "d2"]);
    for _ in 0..3 {
        timed("du -s", &mut || {
            let done = std::process::Command::new("du").arg("-s").arg(disk.root.path()).output().unwrap();
            assert!(done.status.success());
        });
    }
    timed("sum of folders", &mut || drop(disk.space.sum("folder", None).unwrap()));
    let page = |condition: Condition, sort| Asked { condition, sort, descending: true, limit: 100, ..all("set") };
    let text = |field, how, pattern| Condition::Text(Text::new(field, how, pattern, false).unwrap());
    for (what, asked) in [
        ("first page by size", page(Condition::ALWAYS, Sort::Size)),
        ("first page by time", page(Condition::ALWAYS, Sort::Modified)),
        ("name contains", page(text(Field::Name, Match::Contains, "49 of 1"), Sort::Name)),
        ("path contains", page(text(Field::Path, Match::Contains, "d7/"), Sort::Size)),
        ("extension", page(text(Field::Extension, Match::Equals, "pdf"), Sort::Size)),
        ("regex", page(text(Field::Path, Match::Regex, r"of 12\d\."), Sort::Size)),
    ] {
        for _ in 0..3 {
            timed(what, &mut || drop(disk.space.find(&asked, &|_| false, &Cancel::default()).unwrap()));
        }
    }
}

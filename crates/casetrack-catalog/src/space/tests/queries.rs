//! Questions about sets.

use super::*;

fn text(field: Field, how: Match, pattern: &str) -> Condition {
    Condition::Text(Text::new(field, how, pattern, false).unwrap())
}

#[test]
fn each_way_to_match_takes_the_signs_of_the_others_literally() {
    let disk = Disk::new();
    for name in
        ["a%b.txt", "a_b.txt", "axb.txt", "a*b.txt", "a[b].txt", "sub/report_2024.pdf", "sub/Überblick.JPG", "x.d/y"]
    {
        disk.write(name, 1);
    }
    disk.scan();
    disk.fill("set", Mode::Append);
    let root = disk.root.path().to_str().unwrap().to_owned();
    for (field, how, pattern, expected) in [
        (Field::Name, Match::Contains, "a%b", vec!["a%b.txt"]),
        (Field::Name, Match::Contains, "a_b", vec!["a_b.txt"]),
        (Field::Name, Match::Contains, "a*", vec!["a*b.txt"]),
        (Field::Name, Match::Contains, "[", vec!["a[b].txt"]),
        (Field::Name, Match::Prefix, "A_", vec!["a_b.txt"]),
        (Field::Name, Match::Suffix, "].TXT", vec!["a[b].txt"]),
        (Field::Path, Match::Contains, "SUB/rep", vec!["sub/report_2024.pdf"]),
        (Field::Path, Match::Contains, "überblick", vec!["sub/Überblick.JPG"]),
        (Field::Path, Match::Contains, "x.d/", vec!["x.d/y"]),
        (Field::Path, Match::Prefix, &format!("{root}/sub/r"), vec!["sub/report_2024.pdf"]),
        (Field::Path, Match::Prefix, &format!("{root}/su"), vec!["sub", "sub/report_2024.pdf", "sub/Überblick.JPG"]),
        (Field::Path, Match::Prefix, "sub", vec![]),
        (Field::Path, Match::Suffix, ".jpg", vec!["sub/Überblick.JPG"]),
        (Field::Path, Match::Suffix, "ub/report_2024.pdf", vec!["sub/report_2024.pdf"]),
        (Field::Path, Match::Suffix, "b.txt", vec!["a%b.txt", "a*b.txt", "a_b.txt", "axb.txt"]),
        (Field::Path, Match::Equals, &format!("{root}/x.d/y"), vec!["x.d/y"]),
        (Field::Path, Match::Regex, r"report_\d{4}\.pdf", vec!["sub/report_2024.pdf"]),
        (Field::Path, Match::Glob, "*.jpg", vec!["sub/Überblick.JPG"]),
        (Field::Path, Match::Glob, "*/sub/*", vec!["sub/report_2024.pdf", "sub/Überblick.JPG"]),
        (Field::Name, Match::Glob, "a[%_]b.*", vec!["a%b.txt", "a_b.txt"]),
        (Field::Name, Match::Glob, "a?b.txt", vec!["a%b.txt", "a*b.txt", "a_b.txt", "axb.txt"]),
        (Field::Parent, Match::Suffix, "/sub", vec!["sub/report_2024.pdf", "sub/Überblick.JPG"]),
        (Field::Parent, Match::Equals, &format!("{root}/x.d"), vec!["x.d/y"]),
        (Field::Extension, Match::Equals, "jpg", vec!["sub/Überblick.JPG"]),
    ] {
        let asked = SetQuery { condition: text(field, how, pattern), ..all("set") };
        assert_eq!(disk.names(&asked), expected, "{field:?} {how:?} {pattern}");
    }
    let exact = Text::new(Field::Name, Match::Contains, "überblick", true).unwrap();
    assert!(disk.names(&SetQuery { condition: Condition::Text(exact), ..all("set") }).is_empty());
    for (how, pattern) in [(Match::Regex, "("), (Match::Glob, "[a"), (Match::Contains, &*"x".repeat(5_000))] {
        let message = Text::new(Field::Path, how, pattern, false).unwrap_err().message;
        assert!(message.contains("pattern") && !message.contains('\n'), "{message}");
    }
}

/// Literal matches of paths are decided separately by folder and name; here they are compared with matches of whole paths.
#[test]
fn literal_matches_of_paths_are_those_of_the_whole_path() {
    let disk = Disk::new();
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..60 {
        let part = |random: &mut fastrand::Rng| -> String {
            (0..random.usize(1..4)).map(|_| *random.choice(&['a', 'B', '.']).unwrap()).collect()
        };
        let name = format!("{}d/{}d/{}f", part(&mut random), part(&mut random), part(&mut random));
        disk.write(&name, 1);
    }
    disk.scan();
    disk.fill("set", Mode::Append);
    let paths = disk.names(&all("set"));
    let whole = |name: &String| disk.path(name).into_os_string().into_string().unwrap();
    for _ in 0..300 {
        let path = whole(random.choice(&paths).unwrap());
        let (mut start, mut end) = (random.usize(0..path.len()), random.usize(0..=path.len()));
        if start > end {
            (start, end) = (end, start);
        }
        let (case_sensitive, mut pattern) = (random.bool(), path[start..end].to_owned());
        if !case_sensitive && random.bool() {
            pattern.make_ascii_uppercase();
        }
        for how in [Match::Contains, Match::Prefix, Match::Suffix, Match::Equals] {
            let text = Text::new(Field::Path, how, &pattern, case_sensitive).unwrap();
            let found = disk.names(&SetQuery { condition: Condition::Text(text), ..all("set") });
            let fold = |text: &str| if case_sensitive { text.to_owned() } else { text.to_lowercase() };
            let needle = fold(&pattern);
            let expected: Vec<&String> = paths
                .iter()
                .filter(|name| {
                    let path = fold(&whole(name));
                    match how {
                        Match::Contains => path.contains(&needle),
                        Match::Prefix => path.starts_with(&needle),
                        Match::Suffix => path.ends_with(&needle),
                        _ => path == needle,
                    }
                })
                .collect();
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{how:?} {pattern:?} {case_sensitive}");
        }
    }
}

#[test]
fn ranges_include_both_ends_and_conditions_combine() {
    let disk = Disk::new();
    for (name, bytes) in [("a.jpg", 10), ("b.jpg", 20), ("c.txt", 30)] {
        disk.write(name, bytes);
    }
    disk.scan();
    disk.fill("set", Mode::Append);
    let names = |condition: Condition| disk.names(&SetQuery { condition, ..all("set") });
    assert_eq!(names(Condition::Size(Some(10), Some(20))), ["a.jpg", "b.jpg"]);
    assert_eq!(names(Condition::Size(Some(21), None)), ["c.txt"]);
    let jpg = || text(Field::Extension, Match::Equals, "jpg");
    let big = || Condition::Size(Some(20), None);
    assert_eq!(names(Condition::All(vec![jpg(), big()])), ["b.jpg"]);
    assert_eq!(names(Condition::Any(vec![jpg(), big()])), ["a.jpg", "b.jpg", "c.txt"]);
    assert_eq!(names(Condition::None(vec![jpg()])), ["c.txt"]);
    let modified = crate::Facts::read(&disk.path("b.jpg")).unwrap().modified.stored();
    let at = |from: i64, to: i64| Condition::Time(TimeField::Modified, Some(from), Some(to));
    assert!(names(at(modified, modified)).contains(&"b.jpg".to_owned()));
    assert!(!names(at(modified + 1, i64::MAX)).contains(&"b.jpg".to_owned()));
    let added = |from, to| disk.names(&SetQuery { added: (from, to), ..all("set") }).len();
    assert_eq!((added(Some(0), None), added(None, Some(0))), (3, 0));
}

#[test]
fn pages_follow_each_other_in_every_order_and_know_the_total() {
    let disk = Disk::new();
    let mut random = fastrand::Rng::with_seed(3);
    for file in 0..50 {
        disk.write(&format!("d{}/F{file}", file % 3), random.usize(0..20));
    }
    disk.scan();
    disk.fill("set", Mode::Append);
    for sort in [Sort::Size, Sort::Name, Sort::Modified, Sort::Path] {
        for descending in [false, true] {
            let whole = disk.names(&SetQuery { sort, descending, ..all("set") });
            assert_eq!(whole.len(), 53);
            let mut pages = Vec::new();
            loop {
                let asked = SetQuery { sort, descending, limit: 7, offset: pages.len(), ..all("set") };
                let answer = disk.space.find(&asked, &|_| false, &Cancel::default()).unwrap();
                assert_eq!(answer.total, 53);
                pages.extend(disk.names(&asked));
                assert_eq!(answer.has_more, pages.len() < 53);
                if !answer.has_more {
                    break;
                }
            }
            assert_eq!(pages, whole, "{sort:?} {descending}");
        }
    }
    let sizes: Vec<u64> = {
        let asked = SetQuery { sort: Sort::Size, descending: true, ..all("set") };
        let answer = disk.space.find(&asked, &|_| false, &Cancel::default()).unwrap();
        answer.members.iter().map(|member| member.facts.size).collect()
    };
    assert!(sizes.is_sorted_by(|a, b| a >= b));
}

#[test]
fn an_entry_is_looked_at_before_it_is_returned_and_what_is_denied_is_no_answer() {
    let disk = Disk::new();
    for name in ["gone", "grown", "kept", "secret"] {
        disk.write(name, 1);
    }
    disk.scan();
    disk.fill("set", Mode::Append);
    fs::remove_file(disk.path("gone")).unwrap();
    disk.write("grown", 99);
    let asked = SetQuery { condition: Condition::Size(None, Some(50)), ..all("set") };
    let answer = disk.space.find(&asked, &|path| path.ends_with("secret"), &Cancel::default()).unwrap();
    assert_eq!(answer.members.len(), 1);
    assert_eq!((answer.members[0].path.clone(), answer.total, answer.has_more), (disk.path("kept"), 1, false));
    let cancelled = Cancel::default();
    cancelled.cancel();
    assert_eq!(disk.space.find(&asked, &|_| false, &cancelled).unwrap_err().code, ErrorCode::Cancelled);
}

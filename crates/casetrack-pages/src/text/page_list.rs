/// "page 3" or "pages 1, 4-7".
pub fn page_list(numbers: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == number => *end = number,
            _ => ranges.push((number, number)),
        }
    }
    let ranges: Vec<String> = ranges
        .into_iter()
        .map(|(start, end)| if start == end { start.to_string() } else { format!("{start}-{end}") })
        .collect();
    format!("page{} {}", if numbers.len() == 1 { "" } else { "s" }, ranges.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_numbers_are_listed_as_ranges() {
        assert_eq!(page_list(&[3]), "page 3");
        assert_eq!(page_list(&[1, 4, 5, 6, 9]), "pages 1, 4-6, 9");
    }
}

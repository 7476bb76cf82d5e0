//! Files in the text of a message, as programs sent them before MIME: "begin 644 plan.pdf", lines of six-bit characters, "end" (POSIX uuencode).

use super::letter::Enclosure;

/// The files in a text, and the text without them. A file without its end stays text. Linear.
pub(super) fn take_files(text: String) -> (String, Vec<Enclosure>) {
    if !text.contains("begin ") {
        return (text, Vec::new());
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut rest, mut files) = (String::with_capacity(text.len()), Vec::new());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        match file_at(&lines[at..]) {
            Some((file, count)) => {
                files.push(file);
                at += count;
            }
            None => {
                rest.push_str(line);
                at += 1;
            }
        }
    }
    (rest, files)
}

/// The file that begins with the first of these lines, and the number of its lines.
fn file_at(lines: &[&str]) -> Option<(Enclosure, usize)> {
    let (mode, name) = lines.first()?.strip_prefix("begin ")?.trim_end().split_once(' ')?;
    if !matches!(mode.len(), 3 | 4) || !mode.bytes().all(|digit| matches!(digit, b'0'..=b'7')) || name.is_empty() {
        return None;
    }
    let mut bytes = Vec::new();
    for (number, line) in lines.iter().enumerate().skip(1) {
        let line = line.trim_end_matches(['\r', '\n']);
        if line == "end" && !bytes.is_empty() {
            let file = Enclosure { name: name.to_owned(), media_type: String::new(), inline: false, bytes };
            return Some((file, number + 1));
        }
        decode_line(line.as_bytes(), &mut bytes)?;
    }
    None
}

/// A line: its length in bytes, and groups of four characters for three bytes. Spaces at its end may be lost in transit.
fn decode_line(line: &[u8], bytes: &mut Vec<u8>) -> Option<()> {
    let value = |byte: u8| (b' '..=b'`').contains(&byte).then(|| (byte - b' ') & 0x3F);
    let Some((&first, groups)) = line.split_first() else { return Some(()) };
    let length = usize::from(value(first)?);
    // Some programs add a checksum.
    if groups.len() > length.div_ceil(3) * 4 + 1 {
        return None;
    }
    let end = bytes.len() + length;
    let at = |place: usize| groups.get(place).map_or(Some(0), |&byte| value(byte));
    for group in 0..length.div_ceil(3) {
        let [a, b, c, d] = [at(group * 4)?, at(group * 4 + 1)?, at(group * 4 + 2)?, at(group * 4 + 3)?];
        bytes.extend([(a << 2) | (b >> 4), (b << 4) | (c >> 2), (c << 6) | d]);
    }
    bytes.truncate(end);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(text: &str) -> (String, Vec<(String, String)>) {
        let (rest, files) = take_files(text.to_owned());
        let shown = |file: Enclosure| (file.name, String::from_utf8_lossy(&file.bytes).into_owned());
        (rest, files.into_iter().map(shown).collect())
    }

    #[test]
    fn a_file_in_the_text_is_a_file_and_no_text() {
        let text = "See file.\n\nbegin 644 my note.txt\n#0V%T\n`\nend\nRegards\n";
        let file = ("my note.txt".to_owned(), "Cat".to_owned());
        assert_eq!(taken(text), ("See file.\n\nRegards\n".to_owned(), vec![file.clone()]));
        // the line of length 0 is missing, and a space at the end of a line is lost
        let lost = taken("begin 0644 a.bin\n#0V%\nend\n");
        assert_eq!(lost.1, [("a.bin".to_owned(), "Ca@".to_owned())]);
        assert_eq!(taken(&text.replace('\n', "\r\n")).1, [file]);
    }

    #[test]
    fn words_that_begin_so_stay_text() {
        for text in [
            "We begin 644 days later.\nend\n",
            "begin 644 note.txt\n#0V%T\nno end",
            "begin 644 note.txt\nplain words of a letter\nend\n",
            "begin 999 note.txt\n#0V%T\nend\n",
            "begin 644 note.txt\nend\n",
            "begin 644 note.txt\n\tindented\nend\n",
        ] {
            assert_eq!(taken(text), (text.to_owned(), Vec::new()), "{text}");
        }
    }
}

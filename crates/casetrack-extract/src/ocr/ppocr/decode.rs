//! Characters from the output of the recogniser for each step along a line (connectionist temporal classification,
//! Graves et al. 2006).

use super::network::Output;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piece {
    pub text: String,
    pub from: f32,
    pub to: f32,
    /// Mean probability of its characters.
    pub confidence: f32,
}

/// Class 0 is "no character", then come those of the dictionary, and the space last.
pub(super) fn characters(dictionary: &str) -> Vec<&str> {
    let mut characters = vec![""];
    characters.extend(dictionary.lines());
    characters.push(" ");
    characters
}

/// The words of a line. `output` has one row of probabilities for each step, all along a strip of which the line takes
/// the first `filled` part.
pub(super) fn words(output: &Output<3>, characters: &[impl AsRef<str>], filled: f32) -> Vec<Piece> {
    let [_, steps, classes] = output.shape;
    if classes == 0 || classes != characters.len() {
        return Vec::new();
    }
    let mut words: Vec<Piece> = Vec::new();
    let mut is_inside = false;
    let (mut before, mut count) = (0, 0.0);
    let place = |step: usize| (step as f32 / steps as f32 / filled.max(f32::MIN_POSITIVE)).min(1.0);
    for (step, row) in output.numbers.chunks_exact(classes).enumerate() {
        let best = row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
        let Some((class, probability)) = best else { continue };
        let is_repeated = std::mem::replace(&mut before, class) == class;
        let text = characters[class].as_ref();
        if class == 0 {
            continue;
        }
        if text.trim().is_empty() {
            is_inside = false;
            continue;
        }
        match words.last_mut() {
            Some(word) if is_inside => {
                word.to = place(step + 1);
                if !is_repeated {
                    count += 1.0;
                    word.confidence += (probability - word.confidence) / count;
                    word.text.push_str(text);
                }
            }
            _ => {
                count = 1.0;
                is_inside = true;
                words.push(Piece {
                    text: text.to_owned(),
                    from: place(step),
                    to: place(step + 1),
                    confidence: *probability,
                });
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(steps: &[(usize, f32)], classes: usize) -> Output<3> {
        let numbers = steps.iter().flat_map(|(best, probability)| {
            (0..classes).map(move |class| if class == *best { *probability } else { 0.01 })
        });
        Output { shape: [1, steps.len(), classes], numbers: numbers.collect() }
    }

    #[test]
    fn repetitions_are_one_character_and_spaces_part_words() {
        let characters = characters("a\nb\nß");
        assert_eq!(characters, ["", "a", "b", "ß", " "]);
        let steps =
            [(0, 0.9), (1, 0.9), (1, 0.9), (0, 0.9), (1, 0.7), (4, 0.9), (4, 0.9), (3, 0.5), (0, 0.9), (0, 0.9)];
        let words = words(&output(&steps, 5), &characters, 0.8);
        assert_eq!(words.iter().map(|word| &*word.text).collect::<Vec<_>>(), ["aa", "ß"]);
        assert!((words[0].confidence - 0.8).abs() < 1e-6 && words[1].confidence == 0.5);
        assert!((words[0].from - 0.125).abs() < 1e-6 && (words[0].to - 0.625).abs() < 1e-6);
        assert!((words[1].from - 0.875).abs() < 1e-6 && words[1].to == 1.0);
    }

    #[test]
    fn a_dictionary_of_another_network_gives_nothing() {
        assert!(words(&output(&[(1, 0.9)], 3), &characters("a"), 1.0).len() == 1);
        assert!(words(&output(&[(1, 0.9)], 4), &characters("a"), 1.0).is_empty());
        assert!(words(&Output { shape: [1, 0, 0], numbers: Vec::new() }, &characters("a"), 1.0).is_empty());
    }
}

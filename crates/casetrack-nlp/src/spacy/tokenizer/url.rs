use crate::spacy::charset::CharSet;

/// spaCy's URL pattern (`URL_MATCH` of spacy/lang/tokenizer_exceptions.py, after Diego Perini's) as linear code; its
/// regular expression backtracks:
///
/// `^(?:[\w+\-.]{2,}://)?(?:\S+(?::\S*)?@)?(IPV4|(?:(?:[A][A_-]{0,62})?[A]\.)+[T]{2,63})(?::\d{2,5})?(?:[/?#]\S*)?$`
/// where `A` is `A-Za-z0-9` and U+A1 to U+FFFF, `T` the set of letters in the model, and `IPV4` an address that is not
/// of a private network.
#[derive(Debug)]
pub(super) struct UrlPattern {
    pub top_level_domain: CharSet,
    pub decimals: CharSet,
    pub alphanumeric: CharSet,
}

impl UrlPattern {
    /// `text` has no white space.
    pub fn matches(&self, text: &[char]) -> bool {
        if !text.contains(&'.') {
            return false;
        }
        if self.host_onwards(text) {
            return true;
        }
        let scheme = text.iter().take_while(|&&c| self.alphanumeric.contains(c) || "_+-.".contains(c)).count();
        if scheme >= 2 && text[scheme..].starts_with(&[':', '/', '/']) && self.host_onwards(&text[scheme + 3..]) {
            return true;
        }
        // A user name is anything before an "@", a scheme included.
        (1..text.len()).any(|at| text[at] == '@' && self.host_onwards(&text[at + 1..]))
    }

    /// The host, the port and the rest. Reads as far as the host reaches.
    fn host_onwards(&self, text: &[char]) -> bool {
        let in_host = |&&c: &&char| is_letter(c) || "_-.".contains(c) || self.top_level_domain.contains(c);
        let reach = text.iter().take_while(in_host).count();
        let (host, mut rest) = text.split_at(reach);
        if !self.is_name(host) && !self.is_address(host) {
            return false;
        }
        if let Some((':', after)) = rest.split_first().map(|(&c, after)| (c, after)) {
            let digits = after.iter().take_while(|&&c| self.decimals.contains(c)).count();
            if !(2..=5).contains(&digits) {
                return false;
            }
            rest = &after[digits..];
        }
        rest.first().is_none_or(|&c| matches!(c, '/' | '?' | '#'))
    }

    fn is_name(&self, host: &[char]) -> bool {
        let Some(dot) = host.iter().rposition(|&c| c == '.') else { return false };
        let top = &host[dot + 1..];
        let is_label = |label: &[char]| match label {
            [] => false,
            [only] => is_letter(*only),
            [first, .., last] => label.len() <= 64 && is_letter(*first) && is_letter(*last),
        };
        (2..=63).contains(&top.len())
            && top.iter().all(|&c| self.top_level_domain.contains(c))
            && host[..dot].split(|&c| c == '.').all(is_label)
    }

    /// Four numbers: the first 1 to 223, the last 1 to 254, the others 0 to 255, outside of 10/8, 127/8, 169.254/16,
    /// 192.168/16 and 172.16/12.
    fn is_address(&self, host: &[char]) -> bool {
        let parts: Vec<&[char]> = host.split(|&c| c == '.').collect();
        let [first, second, third, fourth] = parts[..] else { return false };
        let decimal = |c: &char| self.decimals.contains(*c);
        // As in the pattern, in which a digit of any script does not serve as a leading one.
        let outer = |part: &[char], highest: &[char]| match part {
            ['1'..='9'] => true,
            ['1'..='9', b] => decimal(b),
            ['1', b, c] => decimal(b) && decimal(c),
            ['2', b, c] => {
                ('0'..highest[0]).contains(b) && decimal(c) || *b == highest[0] && ('0'..=highest[1]).contains(c)
            }
            _ => false,
        };
        let inner = |part: &[char]| match part {
            [a] => decimal(a),
            [a, b] => decimal(a) && decimal(b),
            ['1', b, c] => decimal(b) && decimal(c),
            ['2', '0'..='4', c] => decimal(c),
            ['2', '5', '0'..='5'] => true,
            _ => false,
        };
        let private = matches!(
            (first, second),
            (['1', '0'] | ['1', '2', '7'], _)
                | (['1', '6', '9'], ['2', '5', '4'])
                | (['1', '9', '2'], ['1', '6', '8'])
                | (['1', '7', '2'], ['1', '6'..='9'] | ['3', '0' | '1'])
        ) || matches!((first, second), (['1', '7', '2'], ['2', digit]) if decimal(digit));
        !private && outer(first, &['2', '3']) && inner(second) && inner(third) && outer(fourth, &['5', '4'])
    }
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || ('\u{a1}'..='\u{ffff}').contains(&c)
}

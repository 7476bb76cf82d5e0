//! The modules of a crate and their imports, read from its source.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The path of a module below its crate; empty for the crate's own file.
type ModulePath = Vec<String>;

/// The modules of a crate, without tests, and the paths that each imports or names.
pub(super) struct Sources {
    pub(super) imports: BTreeMap<ModulePath, Vec<Vec<String>>>,
}

impl Sources {
    pub(super) fn read(folder: &Path) -> Self {
        let (mut imports, mut tests) = (BTreeMap::new(), Vec::new());
        let mut folders = vec![(folder.to_owned(), ModulePath::new())];
        while let Some((folder, path)) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let file = entry.unwrap().path();
                let stem = file.file_stem().unwrap().to_str().unwrap().to_owned();
                let mut module = path.clone();
                if file.is_dir() {
                    module.push(stem);
                    folders.push((file, module));
                } else if file.extension().is_some_and(|extension| extension == "rs") {
                    module.extend(Some(stem).filter(|stem| !matches!(stem.as_str(), "lib" | "main" | "mod")));
                    let tokens = tokens(&std::fs::read_to_string(&file).unwrap());
                    let (tokens, test_modules) = without_tests(&tokens);
                    tests.extend(test_modules.into_iter().map(|name| [module.clone(), vec![name]].concat()));
                    imports.entry(module).or_insert_with(Vec::new).extend(paths(&tokens));
                }
            }
        }
        imports.retain(|module, _| !tests.iter().any(|test: &ModulePath| module.starts_with(test)));
        Self { imports }
    }

    /// The module that a path leads to from `module`; `None` outside the crate. Names that a module only passes on lead to their source.
    fn resolved(&self, module: &[String], path: &[String], steps: usize) -> Option<ModulePath> {
        let mut at = module.to_vec();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => (at, rest) = (ModulePath::new(), &path[1..]),
            "self" => rest = &path[1..],
            "super" => {}
            name => {
                at.push(name.to_owned());
                if !self.imports.contains_key(&at) {
                    return None;
                }
                rest = &path[1..];
            }
        }
        while let [first, after @ ..] = rest {
            let child = [at.clone(), vec![first.clone()]].concat();
            if first == "super" {
                at.pop();
            } else if self.imports.contains_key(&child) {
                at = child;
            } else {
                let passed_on = self.imports.get(&at)?.iter().find(|import| import.last() == Some(first));
                let home = passed_on.filter(|_| steps > 0).and_then(|import| self.resolved(&at, import, steps - 1));
                return Some(home.unwrap_or(at));
            }
            rest = after;
        }
        Some(at)
    }

    /// The circles among modules next to each other, with an import for each arrow.
    pub(super) fn circles(&self) -> Vec<(Vec<String>, Vec<String>)> {
        type Arrows = BTreeMap<String, BTreeMap<String, String>>;
        let mut folders: BTreeMap<ModulePath, Arrows> = BTreeMap::new();
        for (module, imports) in &self.imports {
            for import in imports {
                let Some(target) = self.resolved(module, import, 4) else { continue };
                let common = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
                let (Some(from), Some(to)) = (module.get(common), target.get(common)) else { continue };
                let example = format!("{} imports {}", module.join("::"), import.join("::"));
                let arrows = folders.entry(module[..common].to_vec()).or_default();
                arrows.entry(from.clone()).or_default().entry(to.clone()).or_insert(example);
            }
        }
        let mut circles = Vec::new();
        for (folder, arrows) in &folders {
            let reached = |from: &String| {
                let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
                while let Some(node) = open.pop() {
                    let next = arrows.get(&node).into_iter().flat_map(BTreeMap::keys);
                    open.extend(next.filter(|next| seen.insert((*next).clone())).cloned());
                }
                seen
            };
            let reached: BTreeMap<&String, BTreeSet<String>> =
                arrows.keys().map(|node| (node, reached(node))).collect();
            let mut done = BTreeSet::new();
            for (node, onward) in &reached {
                let together = |other: &&String| onward.contains(*other) && reached[*other].contains(*node);
                let circle: Vec<&String> = arrows.keys().filter(together).collect();
                let full = |name: &str| [folder.clone(), vec![name.to_owned()]].concat();
                let is_folder = |name: &&&String| {
                    self.imports.keys().any(|module| module.len() > folder.len() + 1 && module.starts_with(&full(name)))
                };
                if circle.is_empty()
                    || !done.insert(circle.clone())
                    || !folder.is_empty() && !circle.iter().any(|name| is_folder(&name))
                {
                    continue;
                }
                let inside = |from: &String| {
                    arrows[from].iter().filter(|(to, _)| circle.contains(to)).map(|(_, example)| example.clone())
                };
                let examples = circle.iter().flat_map(|from| inside(from)).collect();
                circles.push((circle.iter().map(|name| full(name).join("::")).collect(), examples));
            }
        }
        circles
    }
}

/// The names and signs of a source file, without comments and literals.
fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let (mut found, mut index) = (Vec::new(), 0);
    while index < chars.len() {
        let c = chars[index];
        let start = index;
        index += 1;
        match c {
            '/' if at(index) == '/' => index += chars[index..].iter().take_while(|c| **c != '\n').count(),
            '/' if at(index) == '*' => {
                while index < chars.len() && !(at(index) == '*' && at(index + 1) == '/') {
                    index += 1;
                }
                index += 2;
            }
            '"' => index = end_of_string(&chars, index),
            'r' if at(index) == '"' || at(index) == '#' && matches!(at(index + 1), '"' | '#') => {
                let marks = chars[index..].iter().take_while(|c| **c == '#').count();
                let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', marks)).collect();
                index += marks + 1;
                while index < chars.len() && !chars[index..].starts_with(&end) {
                    index += 1;
                }
                index += end.len();
            }
            // A character, or else a lifetime.
            '\'' if at(index) == '\\' => {
                index += 2;
                index += chars[index..].iter().take_while(|c| **c != '\'').count() + 1;
            }
            '\'' if at(index + 1) == '\'' => index += 2,
            c if c.is_alphanumeric() || c == '_' => {
                index += chars[index..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').count();
                found.push(chars[start..index].iter().collect());
            }
            ':' if at(index) == ':' => {
                index += 1;
                found.push("::".to_owned());
            }
            c if c.is_whitespace() => {}
            c => found.push(c.to_string()),
        }
    }
    found
}

/// The index behind a string whose first character is at `index`.
fn end_of_string(chars: &[char], mut index: usize) -> usize {
    while index < chars.len() && chars[index] != '"' {
        index += if chars[index] == '\\' { 2 } else { 1 };
    }
    index + 1
}

/// The tokens outside items that only tests have, and the names of modules in files of their own that only tests have.
fn without_tests(tokens: &[String]) -> (Vec<String>, Vec<String>) {
    const ATTRIBUTE: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut modules, mut index) = (Vec::new(), Vec::new(), 0);
    while index < tokens.len() {
        if !tokens[index..].iter().map(String::as_str).take(ATTRIBUTE.len()).eq(ATTRIBUTE) {
            kept.push(tokens[index].clone());
            index += 1;
            continue;
        }
        index += ATTRIBUTE.len();
        let (mut depth, start) = (0, index);
        while let Some(token) = tokens.get(index) {
            index += 1;
            match token.as_str() {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth -= 1,
                _ => {}
            }
            if depth == 0 && matches!(token.as_str(), ";" | "}") {
                break;
            }
        }
        if let Some([.., keyword, name, end]) = tokens.get(start..index)
            && (keyword, end) == (&"mod".to_owned(), &";".to_owned())
        {
            modules.push(name.clone());
        }
    }
    (kept, modules)
}

/// The paths of `use` items, and paths elsewhere that begin with `crate`, `self` or `super`.
fn paths(tokens: &[String]) -> Vec<Vec<String>> {
    let (mut found, mut index) = (Vec::new(), 0);
    while index < tokens.len() {
        match tokens[index].as_str() {
            // `use<'a>` is a bound.
            "use" if tokens.get(index + 1).is_some_and(|next| next != "<") => {
                index += 1;
                use_tree(tokens, &mut index, &[], &mut found);
            }
            "crate" | "self" | "super" if tokens.get(index + 1).is_some_and(|next| next == "::") => {
                let mut path = vec![tokens[index].clone()];
                while tokens.get(index + 1).is_some_and(|next| next == "::") {
                    index += 2;
                    path.extend(tokens.get(index).cloned());
                }
                found.push(path);
                index += 1;
            }
            _ => index += 1,
        }
    }
    found
}

/// Reads `a::{b, c::d as e, f::*}` behind `prefix`, up to what follows it.
fn use_tree(tokens: &[String], index: &mut usize, prefix: &[String], found: &mut Vec<Vec<String>>) {
    let mut path = prefix.to_vec();
    while let Some(token) = tokens.get(*index) {
        match token.as_str() {
            "::" => *index += 1,
            "{" => {
                *index += 1;
                while tokens.get(*index).is_some_and(|token| token != "}") {
                    use_tree(tokens, index, &path, found);
                    *index += usize::from(tokens.get(*index).is_some_and(|token| token == ","));
                }
                *index += 1;
                return;
            }
            "as" => *index += 2,
            "," | ";" | "}" => break,
            // `a::{self}` is `a`.
            "self" if !path.is_empty() => *index += 1,
            token => {
                path.push(token.to_owned());
                *index += 1;
            }
        }
    }
    if !path.is_empty() {
        found.push(path);
    }
}

#[test]
fn imports_are_read_in_every_form() {
    let text = r##"
        //! use crate::comment::A;
        use crate::{a, b::{self, B as C}, c::*};
        pub(crate) use self::d::
            D;
        #[cfg(test)]
        mod tests { use crate::hidden::E; }
        #[cfg(test)]
        mod more_tests;
        fn f<'a>(x: super::g::G, y: &'a str) -> impl Any + use<'a> { "crate::text::T \" crate::U"; r#"crate::raw::R"#; '"' }
    "##;
    let (tokens, tests) = without_tests(&tokens(text));
    let found: Vec<String> = paths(&tokens).iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["crate::a", "crate::b", "crate::b::B", "crate::c::*", "self::d::D", "super::g::G"]);
    assert_eq!(tests, ["more_tests"]);
}

//! Skills: the same instructions for common work that the plugin has, for clients that read them from the server.
//!
//! They follow the extension `io.modelcontextprotocol/skills` of the protocol. Each skill is one file, which `resources/read` returns.

use rmcp::model::{ResourceContents, Skill, SkillFrontmatter, SkillResource, SkillResources};

const MARKDOWN: &str = "text/markdown";

/// The files of the plugin, by name.
const FILES: [(&str, &str); 6] = [
    ("brief-a-document", include_str!("../../../plugin/skills/brief-a-document/SKILL.md")),
    ("check-a-draft", include_str!("../../../plugin/skills/check-a-draft/SKILL.md")),
    ("chronology", include_str!("../../../plugin/skills/chronology/SKILL.md")),
    ("renewal-register", include_str!("../../../plugin/skills/renewal-register/SKILL.md")),
    ("review-a-matter", include_str!("../../../plugin/skills/review-a-matter/SKILL.md")),
    ("tabular-review", include_str!("../../../plugin/skills/tabular-review/SKILL.md")),
];

fn uri(name: &str) -> String {
    format!("skill://{name}/SKILL.md")
}

fn skill((name, text): (&str, &str)) -> Skill {
    let uri = uri(name);
    let description = text.lines().find_map(|line| line.strip_prefix("description: ")).unwrap_or_default();
    let files = vec![SkillResource::from_bytes(&uri, text.as_bytes())];
    Skill::new(uri, SkillFrontmatter::new(name, description), SkillResources::Files(files))
}

fn file(wanted: &str) -> Option<(&'static str, &'static str)> {
    FILES.into_iter().find(|(name, _)| uri(name) == wanted)
}

pub(crate) fn list() -> Vec<Skill> {
    FILES.into_iter().map(skill).collect()
}

/// The skill whose file has this URI.
pub(crate) fn get(uri: &str) -> Option<Skill> {
    file(uri).map(skill)
}

/// The contents of a skill's file.
pub(crate) fn read(uri: &str) -> Option<ResourceContents> {
    file(uri).map(|(_, text)| ResourceContents::text(text, uri).with_mime_type(MARKDOWN))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_skill_of_the_plugin_is_served_with_its_description() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin/skills");
        let names = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        let expected: BTreeSet<String> = std::fs::read_dir(folder).unwrap().map(names).collect();
        let skills = list();
        assert_eq!(skills.iter().map(|skill| skill.name().to_owned()).collect::<BTreeSet<_>>(), expected);
        for skill in &skills {
            skill.validate().unwrap();
            assert!(skill.frontmatter.description.ends_with('.'), "{}", skill.uri);
            assert_eq!(get(&skill.uri).as_ref(), Some(skill));
            assert!(read(&skill.uri).is_some());
        }
        assert!(get("skill://other/SKILL.md").is_none() && read("skill://chronology/other.md").is_none());
    }
}

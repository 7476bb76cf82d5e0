//! Records, of which the stream of a presentation is made ([MS-PPT] 2.3.1).

use casetrack_pages::container::ole::utf16_to_zero;

pub(super) use casetrack_pages::office::art::{Record, Records};

/// The values of `recType` that are read ([MS-PPT] 2.13.24, [MS-ODRAW] 2.2).
pub(super) mod kind {
    pub const DOCUMENT: u16 = 1000;
    pub const DOCUMENT_ATOM: u16 = 1001;
    pub const SLIDE: u16 = 1006;
    pub const SLIDE_ATOM: u16 = 1007;
    pub const NOTES: u16 = 1008;
    pub const ENVIRONMENT: u16 = 1010;
    pub const SLIDE_PERSIST: u16 = 1011;
    pub const MAIN_MASTER: u16 = 1016;
    pub const SLIDE_SHOW_INFO: u16 = 1017;
    pub const OBJECT_LIST: u16 = 1033;
    pub const DRAWING_GROUP: u16 = 1035;
    pub const DRAWING: u16 = 1036;
    /// The placeholder that a header or footer of PowerPoint 2007 was.
    pub const ROUND_TRIP_HEADER: u16 = 1056;
    pub const DOCUMENT_INFO: u16 = 2000;
    pub const FONTS: u16 = 2005;
    pub const PLACEHOLDER: u16 = 3011;
    pub const OUTLINE_REFERENCE: u16 = 3998;
    pub const TEXT_HEADER: u16 = 3999;
    pub const TEXT_CHARS: u16 = 4000;
    pub const TEXT_STYLE: u16 = 4001;
    pub const MASTER_STYLE: u16 = 4003;
    pub const TEXT_BYTES: u16 = 4008;
    pub const TEXT_STYLE_9: u16 = 4012;
    pub const OUTLINE_STYLES_9: u16 = 4014;
    pub const OUTLINE_STYLE_HEADER_9: u16 = 4015;
    pub const FONT: u16 = 4023;
    pub const STRING: u16 = 4026;
    pub const OBJECT_ATOM: u16 = 4035;
    pub const HANDOUT: u16 = 4041;
    pub const EMBEDDED_OBJECT: u16 = 4044;
    pub const HEADERS_FOOTERS: u16 = 4057;
    pub const HEADERS_FOOTERS_ATOM: u16 = 4058;
    pub const SLIDE_LIST: u16 = 4080;
    pub const USER_EDIT: u16 = 4085;
    pub const SLIDE_NUMBER: u16 = 4056;
    pub const DATE_TIME: u16 = 4087;
    pub const GENERIC_DATE: u16 = 4088;
    pub const HEADER: u16 = 4089;
    pub const FOOTER: u16 = 4090;
    pub const OBJECT_STORAGE: u16 = 4113;
    pub const FORMATTED_DATE: u16 = 4117;
    pub const TAGS: u16 = 5000;
    pub const BINARY_TAG: u16 = 5002;
    pub const BINARY_TAG_DATA: u16 = 5003;
    pub const PERSIST_DIRECTORY: u16 = 6002;
    pub const COMMENT: u16 = 12000;
    pub const CRYPT_SESSION: u16 = 12052;

    pub const DRAWING_CONTAINER: u16 = 0xF002;
    pub const GROUP: u16 = 0xF003;
    pub const SHAPE: u16 = 0xF004;
    pub const OPTIONS: u16 = 0xF00B;
    pub const TEXT_BOX: u16 = 0xF00D;
    pub const CHILD_ANCHOR: u16 = 0xF00F;
    pub const CLIENT_ANCHOR: u16 = 0xF010;
    pub const CLIENT_DATA: u16 = 0xF011;
    pub const MORE_OPTIONS: u16 = 0xF122;
}

/// The records that the program's version `name` ("___PPT9") added to one (2.3.20).
pub(super) fn added_by<'a>(record: &Record<'a>, name: &str) -> impl Iterator<Item = Record<'a>> + use<'a> {
    let is_wanted = |tag: &Record| tag.child(kind::STRING).is_some_and(|text| utf16_to_zero(text.content) == name);
    record
        .children()
        .filter(|child| child.kind == kind::TAGS)
        .flat_map(|tags| tags.children())
        .filter(|tag| tag.kind == kind::BINARY_TAG)
        .find(is_wanted)
        .and_then(|tag| tag.child(kind::BINARY_TAG_DATA))
        .map_or(Records::of(&[]), |data| Records::of(data.content))
}

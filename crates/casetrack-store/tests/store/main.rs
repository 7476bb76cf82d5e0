//! A collection as its users see it: through the public API, and through damaged or interrupted directories.

mod corruption;
mod documents;
mod earlier;
mod encrypted;
mod evidence;
mod groups;
mod languages;
mod lists;
mod moving;
mod portable;
mod recovery;
mod registry;
mod relocating;
mod resealing;
mod same_text;
mod schemas;
mod support;
mod tampering;
mod upkeep;
mod vault;
mod verify;
mod versions;

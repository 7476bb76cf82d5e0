//! What formats are wrapped in: zip archives, Open Packaging, OLE compound files, XML, and encryption.

pub mod encryption;
pub mod ole;
pub mod opc;
pub mod xml;
pub mod zip;

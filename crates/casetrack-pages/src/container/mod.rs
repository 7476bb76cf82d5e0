//! Containers of formats: zip archives, Open Packaging, OLE compound files and XML.

pub mod ole;
pub mod opc;
pub mod xml;
pub mod zip;

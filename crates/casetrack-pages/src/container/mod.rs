pub mod ole;
pub mod opc;
pub mod xml;
pub mod zip;

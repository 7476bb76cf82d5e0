//! What keeps collections and this machine in order.

pub mod doctor;
pub mod export;
pub mod import;
pub mod lifecycle;
pub mod migrate;
pub mod models;
pub mod repair;
pub mod stats;
pub mod status;
pub mod verify;

//! End-to-end tests: the real binary, as a person and as an MCP client use it.

mod architecture;
mod bad_input;
mod bates;
mod cli;
mod client;
#[cfg(unix)]
mod connect;
mod containers;
mod context;
mod crash;
mod eval;
mod every;
mod files;
mod first_session;
mod fixtures;
mod fuzz;
mod guards;
mod hidden;
mod http;
mod indexes;
mod injection;
mod jobs;
#[cfg(target_os = "linux")]
mod keychain;
mod language_model;
mod languages;
mod late_interaction;
#[cfg(unix)]
mod layout;
mod lifecycle;
mod models;
mod moving;
mod owner;
mod passages;
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod postgres;
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod postgres_clients;
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod postgres_serve;
#[cfg(unix)]
mod private;
mod prompts;
mod protocol;
mod quotes;
mod reindex;
mod resealing;
mod resources;
mod schema;
mod search;
mod serve;
mod sheet;
mod small_files;
mod space;
mod sparse;
mod start;
mod sync;
mod tags;
#[cfg(unix)]
mod terminal;
mod terms;
mod threads;
mod tracked;
mod upkeep;
mod vault;
mod versions;
mod watches;
mod web;
mod workbench;

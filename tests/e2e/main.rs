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
#[cfg(target_os = "linux")]
mod crash;
mod eval;
mod every;
mod files;
mod first_session;
mod fixtures;
mod fuzz;
mod guards;
mod hidden;
#[cfg(unix)]
mod http;
#[cfg(unix)]
mod indexes;
mod injection;
#[cfg(unix)]
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
#[cfg(unix)]
mod owner;
mod passages;
#[cfg(all(target_os = "linux", feature = "postgres"))]
mod postgres;
#[cfg(feature = "postgres")]
mod postgres_clients;
#[cfg(feature = "postgres")]
mod postgres_serve;
#[cfg(unix)]
mod private;
mod prompts;
mod protocol;
mod quotes;
mod reindex;
#[cfg(unix)]
mod resealing;
mod resources;
mod schema;
mod search;
#[cfg(unix)]
mod serve;
mod sheet;
mod small_files;
#[cfg(unix)]
mod space;
mod sparse;
#[cfg(unix)]
mod start;
mod sync;
mod tags;
#[cfg(unix)]
mod terminal;
mod terms;
mod threads;
mod tracked;
mod upkeep;
#[cfg(unix)]
mod vault;
mod versions;
#[cfg(unix)]
mod watches;
mod web;
mod workbench;

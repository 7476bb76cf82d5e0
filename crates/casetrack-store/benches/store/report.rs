//! The measurements, as a table with one column for each size, and as JSON.

use serde_json::{Map, Value, json};

use crate::measure::{Latency, Memory};

#[derive(Default)]
pub struct Report {
    columns: Vec<(String, Vec<(String, f64)>)>,
}

impl Report {
    pub fn column(&mut self, name: impl Into<String>) {
        self.columns.push((name.into(), Vec::new()));
    }

    pub fn put(&mut self, row: impl Into<String>, value: f64) {
        let row = row.into();
        eprintln!("    {row:44} {}", shown(value));
        if let Some(column) = self.columns.last_mut() {
            column.1.push((row, value));
        }
    }

    pub fn latency(&mut self, row: &str, latency: Latency) {
        self.put(format!("{row}, p50 ms"), latency.p50);
        self.put(format!("{row}, p99 ms"), latency.p99);
        self.put(format!("{row}, hits"), latency.hits);
    }

    pub fn memory(&mut self, row: &str, memory: Memory) {
        self.put(format!("{row}, anonymous MB"), memory.anonymous);
        self.put(format!("{row}, of files MB"), memory.files);
    }

    pub fn print(&self) {
        let mut rows: Vec<&str> = Vec::new();
        for (row, _) in self.columns.iter().flat_map(|column| &column.1) {
            if !rows.contains(&row.as_str()) {
                rows.push(row);
            }
        }
        print!("{:44}", "");
        self.columns.iter().for_each(|(name, _)| print!(" {name:>12}"));
        println!();
        for row in rows {
            print!("{row:44}");
            for (_, values) in &self.columns {
                let value = values.iter().find(|(name, _)| name == row);
                print!(" {:>12}", value.map_or_else(|| "-".to_owned(), |(_, value)| shown(*value)));
            }
            println!();
        }
        let columns: Map<String, Value> = self
            .columns
            .iter()
            .map(|(name, values)| {
                let values: Map<String, Value> =
                    values.iter().map(|(row, value)| (row.clone(), json!(value))).collect();
                (name.clone(), Value::Object(values))
            })
            .collect();
        println!("{}", Value::Object(columns));
    }
}

fn shown(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.digits$}")
}

//! A map in a sorted vector: a third of a tree's memory where most maps have one entry, as most entities have one document.

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sorted<V>(Vec<(u32, V)>);

// Derived, it would ask for `V: Default`.
impl<V> Default for Sorted<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> Sorted<V> {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, key: u32) -> Option<&V> {
        self.find(key).ok().map(|at| &self.0[at].1)
    }

    /// Moves all later entries; new documents come last.
    pub fn insert(&mut self, key: u32, value: V) {
        match self.find(key) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (key, value)),
        }
    }

    pub fn get_mut(&mut self, key: u32) -> Option<&mut V> {
        self.find(key).ok().map(|at| &mut self.0[at].1)
    }

    pub fn remove(&mut self, key: u32) {
        if let Ok(at) = self.find(key) {
            self.0.remove(at);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &V)> {
        self.0.iter().map(|(key, value)| (*key, value))
    }

    pub fn keys(&self) -> impl Iterator<Item = u32> {
        self.0.iter().map(|(key, _)| *key)
    }

    fn find(&self, key: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&key, |(key, _)| *key)
    }
}

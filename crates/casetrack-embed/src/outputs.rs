//! The outputs of a text: their kinds and values.

/// Which outputs of a text are wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outputs {
    /// One vector (E1).
    pub dense: bool,
    /// Weights of vocabulary terms (E6).
    pub sparse: bool,
    /// One vector for each token that counts (E12).
    pub tokens: bool,
}

impl Outputs {
    pub const DENSE: Self = Self { dense: true, sparse: false, tokens: false };
    pub const SPARSE: Self = Self { dense: false, sparse: true, tokens: false };
    pub const TOKENS: Self = Self { dense: false, sparse: false, tokens: true };
    pub const ALL: Self = Self { dense: true, sparse: true, tokens: true };

    pub fn and(self, other: Self) -> Self {
        Self {
            dense: self.dense && other.dense,
            sparse: self.sparse && other.sparse,
            tokens: self.tokens && other.tokens,
        }
    }

    pub fn without(self, other: Self) -> Self {
        Self {
            dense: self.dense && !other.dense,
            sparse: self.sparse && !other.sparse,
            tokens: self.tokens && !other.tokens,
        }
    }

    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// A text is a query or a passage: models may mark, cut and filter the two differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Query,
    Passage,
}

/// Weights of vocabulary terms, all above 0, in ascending order of the term's id.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SparseVector {
    pub terms: Vec<(u32, f32)>,
}

impl SparseVector {
    pub fn dot(&self, other: &Self) -> f32 {
        let mut sum = 0.0;
        let mut others = other.terms.iter().copied().peekable();
        for &(id, weight) in &self.terms {
            while others.next_if(|&(other, _)| other < id).is_some() {}
            if let Some((_, other)) = others.next_if(|&(other, _)| other == id) {
                sum += weight * other;
            }
        }
        sum
    }
}

/// One vector of length 1 for each token that counts, in the order of the text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TokenVectors {
    pub tokens: Vec<u32>,
    /// `[tokens, dimension]`, row-major.
    pub vectors: Vec<f32>,
}

/// The outputs of some texts: of each kind that was wanted one value for each text, in order, of the others none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Embeddings {
    pub dense: Vec<Vec<f32>>,
    pub sparse: Vec<SparseVector>,
    pub tokens: Vec<TokenVectors>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inner_product_counts_shared_terms_only() {
        let a = SparseVector { terms: vec![(1, 2.0), (5, 1.0), (9, 4.0)] };
        let b = SparseVector { terms: vec![(0, 7.0), (1, 0.5), (6, 3.0), (9, 0.25), (11, 1.0)] };
        assert_eq!(a.dot(&b), 2.0);
        assert_eq!(b.dot(&a), 2.0);
        assert_eq!(a.dot(&SparseVector::default()), 0.0);
    }
}

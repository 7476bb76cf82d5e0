//! Spherical k-means (Dhillon and Modha, 2001) without chance: the first centres are those farthest from all before
//! them (Gonzalez, 1985), and the number of clusters is the one with the best silhouette.

/// Maximum rounds until nothing moves.
const ROUNDS: usize = 20;
/// Maximum vectors that decide the number of clusters.
const SAMPLE: usize = 2000;

/// The product of two vectors of the same length; their cosine, if both have length 1.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    // Eight sums at a time, which the compiler turns into SIMD.
    let mut sums = [0.0_f32; 8];
    let (a_whole, a_rest) = a.as_chunks::<8>();
    let (b_whole, b_rest) = b.as_chunks::<8>();
    for (x, y) in a_whole.iter().zip(b_whole) {
        for i in 0..8 {
            sums[i] += x[i] * y[i];
        }
    }
    sums.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum::<f32>()
}

/// Clusters of unit vectors of one length.
pub(super) struct Clustering {
    /// By vector; clusters are numbered without gaps.
    pub cluster: Vec<usize>,
    /// Mean cosine of each cluster's vectors to its centre, after the part that all vectors share is removed.
    pub cohesion: Vec<f32>,
}

/// Divides vectors into 1 to `most` clusters. The common part of all vectors is taken away first: document vectors of
/// one matter all point the same way (Mu and Viswanath, "All-but-the-Top", 2018). Cost: `most`² · 20 products of a
/// vector for each of up to 2,000 vectors, and `most` · 20 for each of the rest.
pub(super) fn cluster(vectors: &[&[f32]], most: usize) -> Clustering {
    let vectors = centred(vectors);
    let most = most.min(vectors.len());
    if most < 2 || vectors.len() < 3 {
        return Clustering { cohesion: vec![1.0; vectors.len().min(1)], cluster: vec![0; vectors.len()] };
    }
    let step = vectors.len().div_ceil(SAMPLE);
    let sample: Vec<&[f32]> = vectors.iter().step_by(step).map(Vec::as_slice).collect();
    // As many clusters as vectors always fit best and mean nothing.
    let largest = most.min(sample.len() - 1).max(1);
    let mut best: Option<(f32, Vec<Vec<f32>>)> = None;
    let seeds = farthest(&sample, largest);
    for k in 2..=largest {
        let centres = settle(&sample, seeds[..k].iter().map(|at| sample[*at].to_vec()).collect());
        let fit = silhouette(&sample, &centres);
        if best.as_ref().is_none_or(|(best, _)| fit > *best) {
            best = Some((fit, centres));
        }
    }
    let all: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
    let centres = best.map_or_else(|| vec![vectors[0].clone()], |(_, centres)| centres);
    let centres = if step > 1 { settle(&all, centres) } else { centres };
    numbered(&all, &centres)
}

/// Assigns each vector to its centre and leaves out centres without vectors.
fn numbered(vectors: &[&[f32]], centres: &[Vec<f32>]) -> Clustering {
    let nearest: Vec<(usize, f32)> = vectors.iter().map(|vector| nearest(vector, centres)).collect();
    let mut used: Vec<usize> = nearest.iter().map(|(centre, _)| *centre).collect();
    used.sort_unstable();
    used.dedup();
    let mut sums = vec![(0.0, 0); used.len()];
    let mut cluster = Vec::with_capacity(vectors.len());
    for (centre, cosine) in nearest {
        let number = used.partition_point(|used| *used < centre);
        sums[number].0 += cosine;
        sums[number].1 += 1;
        cluster.push(number);
    }
    Clustering { cluster, cohesion: sums.into_iter().map(|(sum, count)| sum / count as f32).collect() }
}

fn centred(vectors: &[&[f32]]) -> Vec<Vec<f32>> {
    let mean = mean(vectors.iter().copied());
    let without = |vector: &&[f32]| unit(vector.iter().zip(&mean).map(|(x, m)| x - m).collect());
    vectors.iter().map(without).collect()
}

/// Empty if there are no vectors, which are of one length.
pub(super) fn mean<'a>(vectors: impl Iterator<Item = &'a [f32]>) -> Vec<f32> {
    let (mut sum, mut count) = (Vec::new(), 0.0);
    for vector in vectors {
        sum.resize(vector.len(), 0.0);
        sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
        count += 1.0;
    }
    sum.iter_mut().for_each(|sum| *sum /= count);
    sum
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = dot(&vector, &vector).sqrt();
    if length > 1e-6 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
    vector
}

/// Vectors far from each other: the one nearest to the mean of all would be 0 after centring, so the first vector begins.
fn farthest(vectors: &[&[f32]], count: usize) -> Vec<usize> {
    let mut seeds = vec![0];
    let mut closest: Vec<f32> = vectors.iter().map(|vector| dot(vector, vectors[0])).collect();
    while seeds.len() < count {
        // The first of several as far.
        let Some(next) = (0..vectors.len()).min_by(|a, b| closest[*a].total_cmp(&closest[*b])) else { break };
        seeds.push(next);
        for (closest, vector) in closest.iter_mut().zip(vectors) {
            *closest = closest.max(dot(vector, vectors[next]));
        }
    }
    seeds
}

fn settle(vectors: &[&[f32]], mut centres: Vec<Vec<f32>>) -> Vec<Vec<f32>> {
    let mut assigned = Vec::new();
    for _ in 0..ROUNDS {
        let now: Vec<usize> = vectors.iter().map(|vector| nearest(vector, &centres).0).collect();
        if now == assigned {
            break;
        }
        for (number, centre) in centres.iter_mut().enumerate() {
            let members =
                vectors.iter().zip(&now).filter(|(_, cluster)| **cluster == number).map(|(vector, _)| *vector);
            let moved = unit(mean(members));
            if !moved.is_empty() {
                *centre = moved;
            }
        }
        assigned = now;
    }
    centres
}

/// The centre with the greatest cosine, the first of several.
fn nearest(vector: &[f32], centres: &[Vec<f32>]) -> (usize, f32) {
    let mut best = (0, f32::NEG_INFINITY);
    for (number, centre) in centres.iter().enumerate() {
        let cosine = dot(vector, centre);
        if cosine > best.1 {
            best = (number, cosine);
        }
    }
    best
}

/// The simplified silhouette (Hruschka et al., 2004): how much nearer vectors are to their own centre than to the next,
/// −1 to 1. The only vector of a cluster counts 0.
fn silhouette(vectors: &[&[f32]], centres: &[Vec<f32>]) -> f32 {
    let mut sizes = vec![0; centres.len()];
    let mut fits = Vec::with_capacity(vectors.len());
    for vector in vectors {
        let (mut own, mut next, mut number) = (f32::INFINITY, f32::INFINITY, 0);
        for (at, centre) in centres.iter().enumerate() {
            let distance = (1.0 - dot(vector, centre)).max(0.0);
            if distance < own {
                (own, next, number) = (distance, own, at);
            } else {
                next = next.min(distance);
            }
        }
        sizes[number] += 1;
        let fit = if next > 0.0 && next.is_finite() { (next - own) / next } else { 0.0 };
        fits.push((number, fit));
    }
    let sum: f32 = fits.iter().filter(|(number, _)| sizes[*number] > 1).map(|(_, fit)| fit).sum();
    sum / vectors.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_found_and_counted() {
        // Three directions, a little scattered.
        let mut vectors: Vec<Vec<f32>> = Vec::new();
        for i in 0..30 {
            let mut vector = vec![0.2_f32; 12];
            vector[i % 3] += 1.0;
            vector[3 + i % 9] += 0.15;
            vectors.push(unit(vector));
        }
        let vectors: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        let found = cluster(&vectors, 8);
        assert_eq!(found.cohesion.len(), 3);
        for i in 0..30 {
            assert_eq!(found.cluster[i], found.cluster[i % 3]);
        }
        assert_eq!(cluster(&vectors[..1], 8).cluster, [0]);
        assert_eq!(cluster(&[], 8).cluster.len(), 0);
        // All the same: whatever the clusters, nothing fails.
        cluster(&[vectors[0]; 5], 4);
    }
}

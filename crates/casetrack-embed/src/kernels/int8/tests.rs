use super::*;
use crate::kernels::testing::random;

/// The same in plain arithmetic: the integers of the row and of the columns, their products, their scales.
fn reference(row: &[f32], weight: &[f32], k: usize, bias: f32) -> Vec<f32> {
    let (least, greatest) = row.iter().fold((0f32, 0f32), |(least, greatest), &x| (least.min(x), greatest.max(x)));
    let scale = (greatest - least) / 255.0;
    let zero = (-least / scale).round_ties_even();
    let integers =
        row.iter().map(|x| (x * (1.0 / scale) + zero).round_ties_even().clamp(0.0, 255.0) as i64 - zero as i64);
    let integers: Vec<i64> = integers.collect();
    let column = |column: &[f32]| {
        let column_scale = column.iter().fold(0f32, |max, x| max.max(x.abs() / 63.0));
        let products = column.iter().zip(&integers).map(|(x, row)| (x / column_scale).round_ties_even() as i64 * row);
        bias + products.sum::<i64>() as f32 * (scale * column_scale)
    };
    weight.chunks(k).map(column).collect()
}

#[test]
fn equals_plain_integer_arithmetic_for_every_shape_and_instruction_set() {
    for (rows, k, n) in [(1, 1, 1), (5, 7, 3), (13, 32, 32), (29, 33, 50), (50, 130, 97), (300, 384, 48)] {
        let weight = random(n * k, 1);
        let (stride, out_stride) = (k + 3, n + 1);
        let data: Vec<f32> = random(rows * stride, 2).iter().map(|x| (x + 0.3) * 5.0).collect();
        let a = Rows { data: &data, stride, count: rows };
        for instructions in Instructions::available() {
            let packed = Int8Matrix::pack_for(instructions, &weight, k, n, k);
            assert_eq!((packed.k(), packed.n()), (k, n));
            let mut out = vec![9f32; rows * out_stride];
            add_product(a, &packed, &mut out, out_stride);
            for (r, found) in out.chunks(out_stride).enumerate() {
                assert_eq!(found[n], 9.0, "wrote past the columns");
                let expected = reference(&data[r * stride..][..k], &weight, k, 9.0);
                assert_eq!(found[..n], expected, "{instructions:?} {rows}x{k}x{n}");
            }
        }
    }
}

#[test]
fn the_greatest_of_a_column_is_over_all_rows_and_what_the_output_holds() {
    let (rows, k, n) = (300, 130, 97);
    let (data, weight) = (random(rows * k, 8), random(n * k, 9));
    let a = Rows { data: &data, stride: k, count: rows };
    for instructions in Instructions::available() {
        let packed = Int8Matrix::pack_for(instructions, &weight, k, n, k);
        let mut product = vec![0f32; rows * n];
        add_product(a, &packed, &mut product, n);
        for held in [f32::NEG_INFINITY, 0.5, 20.0] {
            let mut greatest = vec![held; n];
            raise_to_product(a, &packed, &mut greatest);
            for (column, &found) in greatest.iter().enumerate() {
                let expected = product.iter().skip(column).step_by(n).fold(held, |max, &x| max.max(x));
                assert_eq!(found, expected, "{instructions:?} column {column}");
            }
        }
    }
}

#[test]
fn is_near_the_product_of_floats() {
    let (rows, k, n) = (40, 384, 64);
    let (data, weight) = (random(rows * k, 3), random(n * k, 4));
    let packed = Int8Matrix::pack_transposed(&weight, k, n, k);
    let mut out = vec![0f32; rows * n];
    add_product(Rows { data: &data, stride: k, count: rows }, &packed, &mut out, n);
    let (mut error, mut size) = (0f64, 0f64);
    for (r, row) in data.chunks(k).enumerate() {
        for (c, column) in weight.chunks(k).enumerate() {
            let exact: f64 = row.iter().zip(column).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
            error += (f64::from(out[r * n + c]) - exact).powi(2);
            size += exact * exact;
        }
    }
    assert!((error / size).sqrt() < 0.012, "{}", (error / size).sqrt());
}

#[test]
fn the_greatest_integers_do_not_overflow() {
    let (rows, k, n) = (13, 1536, 40);
    for instructions in Instructions::available() {
        for sign in [1.0, -1.0] {
            let packed = Int8Matrix::pack_for(instructions, &vec![sign; n * k], k, n, k);
            let mut out = vec![0f32; rows * n];
            add_product(Rows { data: &vec![2.0; rows * k], stride: k, count: rows }, &packed, &mut out, n);
            let exact = sign * 2.0 * k as f32;
            assert!(out.iter().all(|x| (x / exact - 1.0).abs() < 1e-5), "{instructions:?}: {} {exact}", out[0]);
        }
    }
}

#[test]
fn zeros_and_tiny_values_give_zeros_and_tiny_values() {
    let (k, n) = (20, 20);
    for instructions in Instructions::available() {
        let packed = Int8Matrix::pack_for(instructions, &vec![0.0; n * k], k, n, k);
        let mut out = vec![1f32; n];
        add_product(Rows { data: &vec![3.0; k], stride: k, count: 1 }, &packed, &mut out, n);
        assert_eq!(out, vec![1.0; n]);
        let packed = Int8Matrix::pack_for(instructions, &random(n * k, 5), k, n, k);
        for x in [0.0, f32::MIN_POSITIVE, -1e-39] {
            add_product(Rows { data: &vec![x; k], stride: k, count: 1 }, &packed, &mut out, n);
            assert!(out.iter().all(|x| (x - 1.0).abs() < 1e-6), "{instructions:?}: {x} {}", out[0]);
        }
    }
}

#[test]
fn a_row_does_not_depend_on_the_rows_around_it() {
    let (rows, k, n) = (301, 384, 100);
    let (data, weight) = (random(rows * k, 6), random(n * k, 7));
    for instructions in Instructions::available() {
        let packed = Int8Matrix::pack_for(instructions, &weight, k, n, k);
        let mut together = vec![0f32; rows * n];
        add_product(Rows { data: &data, stride: k, count: rows }, &packed, &mut together, n);
        for row in (0..rows).step_by(7) {
            let mut alone = vec![0f32; n];
            add_product(Rows { data: &data[row * k..], stride: k, count: 1 }, &packed, &mut alone, n);
            assert_eq!(alone, together[row * n..][..n]);
        }
    }
}

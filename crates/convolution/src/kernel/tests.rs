use super::*;

/// Whole numbers, so that sums are exact in any order.
fn numbers(n: usize, step: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * step + 3) % 11) as f32 - 5.0).collect()
}

fn axis(
    input: usize,
    window: usize,
    stride: usize,
    dilation: usize,
    before: usize,
    output: usize,
) -> Axis {
    Axis {
        input,
        window,
        output,
        stride,
        dilation,
        before,
    }
}

/// Convolutions of every kind: padded or not, strided, dilated, in groups, of one position, of volumes, of many images.
fn convolutions() -> Vec<Convolution> {
    let one = Axis::ONE;
    let conv = |images, axes, channels, filters, groups| Convolution {
        images,
        axes,
        channels,
        filters,
        groups,
    };
    vec![
        conv(
            2,
            [one, axis(7, 3, 1, 1, 1, 7), axis(9, 3, 1, 1, 1, 9)],
            5,
            33,
            1,
        ),
        conv(
            1,
            [one, axis(8, 3, 1, 1, 0, 6), axis(8, 2, 1, 1, 0, 7)],
            16,
            16,
            1,
        ),
        conv(
            3,
            [one, axis(11, 7, 2, 1, 3, 6), axis(12, 7, 2, 1, 2, 6)],
            3,
            64,
            1,
        ),
        conv(
            2,
            [one, axis(9, 3, 1, 2, 2, 9), axis(10, 3, 1, 3, 3, 10)],
            4,
            20,
            1,
        ),
        conv(
            2,
            [one, axis(6, 3, 2, 1, 0, 3), axis(6, 3, 1, 1, 1, 6)],
            12,
            18,
            3,
        ),
        conv(
            2,
            [one, axis(5, 1, 1, 1, 0, 5), axis(5, 1, 1, 1, 0, 5)],
            40,
            48,
            1,
        ),
        conv(
            2,
            [one, axis(5, 1, 2, 1, 0, 3), axis(5, 1, 2, 1, 0, 3)],
            9,
            7,
            1,
        ),
        conv(
            1,
            [
                axis(5, 3, 1, 1, 1, 5),
                axis(4, 2, 1, 1, 0, 3),
                axis(6, 3, 2, 1, 1, 3),
            ],
            6,
            10,
            2,
        ),
        conv(
            2,
            [one, axis(2, 2, 1, 1, 4, 9), axis(3, 3, 3, 1, 5, 4)],
            3,
            4,
            1,
        ),
        conv(
            300,
            [one, axis(20, 3, 1, 1, 1, 20), axis(20, 3, 1, 1, 1, 20)],
            20,
            2,
            1,
        ),
    ]
}

#[test]
fn tiles_give_what_laid_windows_do() {
    for conv in convolutions() {
        let input = numbers(conv.images * conv.positions() * conv.channels, 7);
        let filters = numbers(conv.row() * conv.filters, 5);
        let outputs = conv.images * conv.windows() * conv.filters;
        let (mut tiled, mut laid) = (vec![f32::NAN; outputs], vec![0.0; outputs]);
        conv.forward(&input, &filters, &mut tiled);
        conv.slide_laid(&input, &filters, &mut laid);
        assert!(tiled == laid, "{conv:?}");

        let grad = numbers(outputs, 3);
        let (mut tiled, mut laid) = (vec![f32::NAN; filters.len()], vec![0.0; filters.len()]);
        conv.of_filters(&input, &grad, &mut tiled);
        conv.sum_laid(&input, &grad, &mut laid);
        assert!(tiled == laid, "{conv:?}");
    }
}

#[test]
fn halves_are_rounded_once() {
    for conv in convolutions() {
        let input = numbers(conv.images * conv.positions() * conv.channels, 7);
        let filters = numbers(conv.row() * conv.filters, 5);
        let grad = numbers(conv.images * conv.windows() * conv.filters, 3);
        let half = |all: &[f32]| all.iter().map(|&x| f16::from_f32(x)).collect::<Vec<_>>();
        let check = |halves: &[f16], wide: &[f32]| assert!(halves == half(wide), "{conv:?}");
        let (mut halves, mut wide) = (vec![f16::NAN; grad.len()], vec![0.0; grad.len()]);
        conv.forward(&half(&input), &half(&filters), &mut halves);
        conv.forward(&input, &filters, &mut wide);
        check(&halves, &wide);
        let (mut halves, mut wide) = (vec![f16::NAN; input.len()], vec![0.0; input.len()]);
        conv.of_input(&half(&filters), &half(&grad), &mut halves);
        conv.of_input(&filters, &grad, &mut wide);
        check(&halves, &wide);
        let (mut halves, mut wide) = (vec![f16::NAN; filters.len()], vec![0.0; filters.len()]);
        conv.of_filters(&half(&input), &half(&grad), &mut halves);
        conv.of_filters(&input, &grad, &mut wide);
        check(&halves, &wide);
    }
}

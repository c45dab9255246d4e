//! Lines of samples: made as long as the picture, and turned into colours.

use ferrograph_kernels::isa::{Isa, Job};

/// How the samples of a component become a line of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Widening {
    /// They are one already.
    Whole,
    /// Each covers as many columns and rows.
    Repeated(usize, usize),
    /// Two columns each, by distance.
    Columns,
    /// Two rows each, by distance.
    Rows,
    /// Two columns and two rows each, by distance.
    Both,
}

impl Widening {
    /// How samples become `h` columns and `v` rows each, where a line has `width` of them.
    pub fn of(h: usize, v: usize, is_fancy: bool, width: usize) -> Widening {
        match (h, v) {
            (1, 1) => Widening::Whole,
            (2, 1) if is_fancy => Widening::Columns.of_width(width),
            (1, 2) if is_fancy => Widening::Rows,
            (2, 2) if is_fancy => Widening::Both.of_width(width),
            _ => Widening::Repeated(h, v),
        }
    }

    /// The same where a line has `width` samples: two are not widened by distance.
    pub fn of_width(self, width: usize) -> Widening {
        match self {
            Widening::Columns if width <= 2 => Widening::Repeated(2, 1),
            Widening::Both if width <= 2 => Widening::Repeated(2, 2),
            other => other,
        }
    }

    /// Whether the lines above and below count.
    pub fn is_between_rows(self) -> bool {
        matches!(self, Widening::Rows | Widening::Both)
    }
}

/// A line that is twice as long, or as long, by distance: three parts of the nearer sample, one of the farther one.
pub(super) struct Between<'a> {
    pub widening: Widening,
    /// The nearer line and the farther one.
    pub near: &'a [u8],
    pub far: &'a [u8],
    /// Whether the farther line is the one above.
    pub is_above: bool,
    /// Sums of columns, two more than there are samples.
    pub sums: &'a mut [u16],
    pub to: &'a mut [u8],
}

impl Job for Between<'_> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let (near, far, to) = (self.near, self.far, self.to);
        let n = near.len();
        let far = &far[..n];
        match self.widening {
            Widening::Rows => {
                let bias = if self.is_above { 1 } else { 2 };
                for ((to, a), b) in to.iter_mut().zip(near).zip(far) {
                    *to = ((u16::from(*a) * 3 + u16::from(*b) + bias) >> 2) as u8;
                }
            }
            Widening::Both => {
                let sums = &mut self.sums[..n + 2];
                for ((sum, a), b) in sums[1..=n].iter_mut().zip(near).zip(far) {
                    *sum = u16::from(*a) * 3 + u16::from(*b);
                }
                widened::<8, 7, 4>(sums, to);
            }
            _ => {
                let sums = &mut self.sums[..n + 2];
                for (sum, a) in sums[1..=n].iter_mut().zip(near) {
                    *sum = u16::from(*a);
                }
                widened::<1, 2, 2>(sums, to);
            }
        }
    }
}

/// Two samples of each sum between the first and the last: a bias each, and how many bits are cut off.
#[inline(always)]
fn widened<const LEFT: u16, const RIGHT: u16, const CUT: u16>(sums: &mut [u16], to: &mut [u8]) {
    let n = sums.len() - 2;
    (sums[0], sums[n + 1]) = (sums[1], sums[n]);
    let (before, here, after) = (&sums[..n], &sums[1..=n], &sums[2..n + 2]);
    let (pairs, _) = to.as_chunks_mut::<2>();
    for (((pair, a), b), c) in pairs.iter_mut().zip(before).zip(here).zip(after) {
        *pair = [
            ((3 * b + a + LEFT) >> CUT) as u8,
            ((3 * b + c + RIGHT) >> CUT) as u8,
        ];
    }
}

/// Repeats samples.
pub(super) fn repeated(from: &[u8], times: usize, to: &mut [u8]) {
    for (to, x) in to.chunks_mut(times).zip(from) {
        to.fill(*x);
    }
}

/// What the samples of components are in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Colours {
    /// The first component as it is.
    First,
    /// The first component, three times.
    Grays,
    /// Components as they are.
    Same,
    /// Brightness and two colours as red, green and blue.
    Ycc,
    /// Red, green and blue as brightness.
    Bright,
    /// Inks, whether they are kept as what is left of light, and whether they are kept as brightness and colours.
    Inks { is_light: bool, is_ycc: bool },
}

/// A line of the picture of lines of its components.
pub(super) struct Line<'a> {
    pub colours: Colours,
    pub from: [&'a [u8]; 4],
    pub to: &'a mut [u8],
}

const HALF: i32 = 1 << 15;

#[inline(always)]
fn ycc(y: u8, blue: u8, red: u8) -> [i32; 3] {
    let (y, b, r) = (i32::from(y), i32::from(blue) - 128, i32::from(red) - 128);
    [
        y + ((91881 * r + HALF) >> 16),
        y + ((-22554 * b - 46802 * r + HALF) >> 16),
        y + ((116130 * b + HALF) >> 16),
    ]
}

#[inline(always)]
fn byte(x: i32) -> u8 {
    x.clamp(0, 255) as u8
}

#[inline(always)]
fn inked(inks: [u8; 3], black: u8, is_light: bool) -> [u8; 3] {
    let turned = |x: u8| if is_light { x } else { 255 - x };
    inks.map(|x| (u32::from(turned(x)) * u32::from(turned(black)) / 255) as u8)
}

impl Job for Line<'_> {
    type Out = ();
    #[inline(always)]
    fn run<I: Isa>(self) {
        let [a, b, c, d] = self.from;
        let to = self.to;
        match self.colours {
            Colours::First => to.copy_from_slice(&a[..to.len()]),
            Colours::Grays => {
                for (to, x) in to.as_chunks_mut().0.iter_mut().zip(a) {
                    *to = [*x; 3];
                }
            }
            Colours::Same => {
                for (((to, a), b), c) in to.as_chunks_mut().0.iter_mut().zip(a).zip(b).zip(c) {
                    *to = [*a, *b, *c];
                }
            }
            Colours::Ycc => {
                for (((to, a), b), c) in to.as_chunks_mut().0.iter_mut().zip(a).zip(b).zip(c) {
                    *to = ycc(*a, *b, *c).map(byte);
                }
            }
            Colours::Bright => {
                for (((to, a), b), c) in to.iter_mut().zip(a).zip(b).zip(c) {
                    let [r, g, b] = [*a, *b, *c].map(i32::from);
                    *to = ((19595 * r + 38470 * g + 7471 * b + HALF) >> 16) as u8;
                }
            }
            Colours::Inks { is_light, is_ycc } => {
                let pixels = to.as_chunks_mut().0.iter_mut();
                for ((((to, a), b), c), d) in pixels.zip(a).zip(b).zip(c).zip(d) {
                    let inks = if is_ycc {
                        ycc(*a, *b, *c).map(|x| byte(255 - x))
                    } else {
                        [*a, *b, *c]
                    };
                    *to = inked(inks, *d, is_light);
                }
            }
        }
    }
}

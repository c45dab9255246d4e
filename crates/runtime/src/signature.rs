//! Signatures: the types of a call's flattened arguments as a flat vector of words, quick to hash and compare.
//!
//! Each leaf is a tag word, `kind | detail << 8`, followed by as many payload words as its kind says. The dimensions
//! of a tensor are payload words in which a relaxed trace has [`ANY`]; a tensor of any rank has no dimensions and the
//! detail bit [`ANY_RANK`].

use smallvec::SmallVec;

/// A signature.
pub type Signature = SmallVec<[u64; 24]>;

/// A dimension of any size.
const ANY: u64 = u64::MAX;
const ANY_RANK: u64 = 1 << 40;

const TENSOR: u64 = 1;
const VARIABLE: u64 = 2;
const WORD: u64 = 3;
const BYTES: u64 = 4;
const OPEN: u64 = 5;
const CLOSE: u64 = 6;

/// Appends leaves to a signature.
#[derive(Default)]
pub struct SignatureBuilder {
    words: Signature,
}

impl SignatureBuilder {
    /// An empty signature.
    pub fn new() -> SignatureBuilder {
        SignatureBuilder::default()
    }

    fn tag(&mut self, kind: u64, detail: u64) {
        self.words.push(kind | detail << 8);
    }

    /// A tensor of that dtype (by number) and these dimensions.
    pub fn tensor(&mut self, dtype: u8, dims: impl ExactSizeIterator<Item = Option<usize>>) {
        self.tag(TENSOR, u64::from(dtype) | (dims.len() as u64) << 8);
        self.words.extend(dims.map(|d| d.map_or(ANY, |d| d as u64)));
    }

    /// A tensor of that dtype and any rank.
    pub fn tensor_of_any_rank(&mut self, dtype: u8) {
        self.tag(TENSOR, u64::from(dtype) | ANY_RANK);
    }

    /// A variable: its dtype and dimensions, and which of the call's variables it is (aliases share a number).
    pub fn variable(
        &mut self,
        dtype: u8,
        alias: usize,
        dims: impl ExactSizeIterator<Item = Option<usize>>,
    ) {
        self.tag(
            VARIABLE,
            u64::from(dtype) | (dims.len() as u64) << 8 | (alias as u64) << 24,
        );
        self.words.extend(dims.map(|d| d.map_or(ANY, |d| d as u64)));
    }

    /// A leaf that one word of payload distinguishes from others of its class: an int, a float's bits, an object's
    /// token.
    pub fn word(&mut self, class: u32, payload: u64) {
        self.tag(WORD, u64::from(class));
        self.words.push(payload);
    }

    /// A leaf of bytes, such as text.
    pub fn bytes(&mut self, class: u32, bytes: &[u8]) {
        self.tag(BYTES, u64::from(class) | (bytes.len() as u64) << 16);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.words.push(u64::from_le_bytes(word));
        }
    }

    /// The beginning of a container of that class and length.
    pub fn open(&mut self, class: u32, len: usize) {
        self.tag(OPEN, u64::from(class) | (len as u64) << 16);
    }

    /// The end of the container opened last.
    pub fn close(&mut self) {
        self.tag(CLOSE, 0);
    }

    /// The signature so far.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The finished signature.
    pub fn finish(self) -> Signature {
        self.words
    }
}

/// How many payload words follow a tag, and how many of them are dimensions.
fn payload(tag: u64) -> (usize, bool) {
    let detail = tag >> 8;
    match tag & 0xff {
        TENSOR if detail & ANY_RANK != 0 => (0, false),
        TENSOR | VARIABLE => ((detail >> 8 & 0xff) as usize, true),
        WORD => (1, false),
        BYTES => (((detail >> 16) as usize).div_ceil(8), false),
        _ => (0, false),
    }
}

fn is_any_rank(tag: u64) -> bool {
    tag & 0xff == TENSOR && tag >> 8 & ANY_RANK != 0
}

fn is_any_rank_of(general: u64, specific: u64) -> bool {
    is_any_rank(general) && specific & 0xff == TENSOR && general >> 8 & 0xff == specific >> 8 & 0xff
}

/// Walks two signatures leaf by leaf; gives what `dims` and `any_rank` make of differing ones, or `None` where the
/// signatures differ in more than the shapes of tensors.
fn zip_leaves(
    a: &[u64],
    b: &[u64],
    mut equal: impl FnMut(&[u64]),
    mut shapes: impl FnMut(&[u64], &[u64]) -> bool,
) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let ((n, dims), (m, _)) = (payload(a[i]), payload(b[j]));
        let (Some(x), Some(y)) = (a.get(i..=i + n), b.get(j..=j + m)) else {
            return false;
        };
        if x == y {
            equal(x);
        } else {
            let both_tensors = a[i] & 0xff == TENSOR && b[j] & 0xff == TENSOR;
            let same_tag = a[i] == b[j] && dims;
            if !(both_tensors || same_tag) || !shapes(x, y) {
                return false;
            }
        }
        i += n + 1;
        j += m + 1;
    }
    i == a.len() && j == b.len()
}

/// Whether a call of signature `specific` may use a trace of signature `general`.
pub fn matches(general: &[u64], specific: &[u64]) -> bool {
    zip_leaves(
        general,
        specific,
        |_| {},
        |g, s| {
            is_any_rank_of(g[0], s[0])
                || (g[0] == s[0] && g[1..].iter().zip(&s[1..]).all(|(g, s)| g == s || *g == ANY))
        },
    )
}

/// The leaves of a signature: tags with their payloads.
fn slices(signature: &[u64]) -> impl Iterator<Item = &[u64]> {
    let mut rest = signature;
    std::iter::from_fn(move || {
        let n = 1 + payload(*rest.first()?).0;
        let (leaf, after) = rest.split_at(n.min(rest.len()));
        rest = after;
        Some(leaf)
    })
}

/// Whether calls of more than one signature may use a trace of this one: a dimension or a rank is open.
pub fn is_general(signature: &[u64]) -> bool {
    slices(signature)
        .any(|leaf| is_any_rank(leaf[0]) || payload(leaf[0]).1 && leaf[1..].contains(&ANY))
}

/// How far a call is from a trace: leaves that do not fit, then words in them.
pub fn distance(trace: &[u64], call: &[u64]) -> (usize, usize) {
    let a: SmallVec<[&[u64]; 32]> = slices(trace).collect();
    let b: SmallVec<[&[u64]; 32]> = slices(call).collect();
    if a.len() == b.len() {
        let apart = a.iter().zip(&b).filter(|(x, y)| !matches(x, y));
        return apart.fold((0, 0), |(leaves, words), (x, y)| {
            let differing = x.iter().zip(*y).filter(|(p, q)| p != q).count();
            (leaves + 1, words + differing + x.len().abs_diff(y.len()))
        });
    }
    // What stands before and after the place where the containers differ in length is alike.
    let short = a.len().min(b.len());
    let fits = |(x, y): &(&&[u64], &&[u64])| matches(x, y);
    let front = a.iter().zip(&b).take_while(fits).count();
    let back = (a.iter().rev().zip(b.iter().rev()))
        .take_while(fits)
        .count();
    let same = front + back.min(short - front);
    let apart = a.len().max(b.len()) - same;
    (apart, apart + trace.len().abs_diff(call.len()))
}

/// One part of a signature, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// A tensor: dtype and dimensions, `None` for any rank.
    Tensor(u8, Option<Vec<Option<usize>>>),
    /// A variable: dtype, dimensions, which of the call's variables it is.
    Variable(u8, Vec<Option<usize>>, usize),
    /// Class and payload of a word.
    Word(u32, u64),
    /// Class and bytes.
    Bytes(u32, Vec<u8>),
    /// The beginning of a container of that class.
    Open(u32),
    /// The end of the container opened last.
    Close,
}

/// The parts of a signature, in order.
pub fn leaves(signature: &[u64]) -> Vec<Leaf> {
    slices(signature).map(decode).collect()
}

fn decode(leaf: &[u64]) -> Leaf {
    let (kind, detail) = (leaf[0] & 0xff, leaf[0] >> 8);
    let dims = || {
        let known = |&d: &u64| (d != ANY).then_some(d as usize);
        leaf[1..].iter().map(known).collect::<Vec<_>>()
    };
    match kind {
        TENSOR => Leaf::Tensor(detail as u8, (detail & ANY_RANK == 0).then(dims)),
        VARIABLE => Leaf::Variable(detail as u8, dims(), (detail >> 24) as usize),
        WORD => Leaf::Word(detail as u32, leaf.get(1).copied().unwrap_or(0)),
        BYTES => {
            let mut bytes: Vec<u8> = leaf[1..].iter().flat_map(|w| w.to_le_bytes()).collect();
            bytes.truncate((detail >> 16) as usize);
            Leaf::Bytes((detail & 0xffff) as u32, bytes)
        }
        OPEN => Leaf::Open((detail & 0xffff) as u32),
        _ => Leaf::Close,
    }
}

/// The signature that relaxes the dimensions in which two differ, where they differ in nothing but dimensions (or, if
/// `ranks`, ranks) of tensors.
pub fn generalise(a: &[u64], b: &[u64], ranks: bool) -> Option<Signature> {
    let out = std::cell::RefCell::new(Signature::new());
    let ok = zip_leaves(
        a,
        b,
        |leaf| out.borrow_mut().extend_from_slice(leaf),
        |x, y| {
            let mut out = out.borrow_mut();
            if x[0] == y[0] && x[0] & 0xff == TENSOR {
                out.push(x[0]);
                out.extend(
                    x[1..]
                        .iter()
                        .zip(&y[1..])
                        .map(|(p, q)| if p == q { *p } else { ANY }),
                );
                return true;
            }
            let same_dtype = x[0] >> 8 & 0xff == y[0] >> 8 & 0xff;
            if ranks && same_dtype && x[0] & 0xff == TENSOR && y[0] & 0xff == TENSOR {
                out.push(TENSOR | ((x[0] >> 8 & 0xff) | ANY_RANK) << 8);
                return true;
            }
            false
        },
    );
    ok.then(|| out.into_inner())
}

/// The dimensions of the tensor leaves of a signature, in order: `None` for one of any rank.
pub fn tensor_shapes(signature: &[u64]) -> Vec<Option<Vec<Option<usize>>>> {
    let mut shapes = Vec::new();
    let mut i = 0;
    while i < signature.len() {
        let (n, _) = payload(signature[i]);
        if signature[i] & 0xff == TENSOR {
            let any_rank = signature[i] >> 8 & ANY_RANK != 0;
            let dims = signature[i + 1..=i + n]
                .iter()
                .map(|&d| (d != ANY).then_some(d as usize))
                .collect();
            shapes.push((!any_rank).then_some(dims));
        }
        i += n + 1;
    }
    shapes
}

/// The payloads of the [`SignatureBuilder::word`] leaves of that class.
pub fn words_of_class(signature: &[u64], class: u32) -> Vec<u64> {
    let mut found = Vec::new();
    let mut i = 0;
    while i < signature.len() {
        let (n, _) = payload(signature[i]);
        if signature[i] == WORD | u64::from(class) << 8 {
            found.extend(signature.get(i + 1));
        }
        i += n + 1;
    }
    found
}

/// The signature with other payloads of the [`SignatureBuilder::word`] leaves of that class, in order; leaves beyond
/// `payloads` keep theirs.
pub fn with_words_of_class(signature: &[u64], class: u32, payloads: &[u64]) -> Signature {
    let mut changed = Signature::from_slice(signature);
    let mut payloads = payloads.iter();
    let mut i = 0;
    while i < changed.len() {
        let (n, _) = payload(changed[i]);
        if changed[i] == WORD | u64::from(class) << 8
            && let (Some(word), Some(new)) = (changed.get_mut(i + 1), payloads.next())
        {
            *word = *new;
        }
        i += n + 1;
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(dims: &[usize], k: u64) -> Signature {
        let mut b = SignatureBuilder::new();
        b.tensor(11, dims.iter().map(|&d| Some(d)));
        b.word(1, k);
        b.finish()
    }

    #[test]
    fn relaxation_needs_equal_python_values() {
        let general = generalise(&call(&[2, 3], 7), &call(&[5, 3], 7), false).unwrap();
        assert!(matches(&general, &call(&[9, 3], 7)));
        assert!(!matches(&general, &call(&[9, 4], 7)));
        assert!(!matches(&general, &call(&[9, 3], 8)));
        assert!(generalise(&call(&[2, 3], 7), &call(&[5, 3], 8), false).is_none());
        assert!(generalise(&call(&[2], 7), &call(&[2, 2], 7), false).is_none());
        assert_eq!(tensor_shapes(&general), [Some(vec![None, Some(3)])]);
    }

    #[test]
    fn words_of_a_class_are_found_and_replaced() {
        let mut b = SignatureBuilder::new();
        b.word(3, 10);
        b.bytes(4, b"0123456789");
        b.word(3, 11);
        b.word(5, 12);
        let signature = b.finish();
        assert_eq!(words_of_class(&signature, 3), [10, 11]);
        let changed = with_words_of_class(&signature, 3, &[20, 21]);
        assert_eq!(words_of_class(&changed, 3), [20, 21]);
        assert_eq!(words_of_class(&changed, 5), [12]);
        assert_eq!(with_words_of_class(&changed, 3, &[10, 11]), signature);
    }

    #[test]
    fn parts_come_back_as_they_went_in() {
        let mut b = SignatureBuilder::new();
        b.open(10, 2);
        b.bytes(5, b"a long key");
        b.tensor(3, [Some(4), None].into_iter());
        b.close();
        b.variable(2, 1, [Some(7)].into_iter());
        b.tensor_of_any_rank(1);
        b.word(3, u64::MAX);
        let expected = [
            Leaf::Open(10),
            Leaf::Bytes(5, b"a long key".to_vec()),
            Leaf::Tensor(3, Some(vec![Some(4), None])),
            Leaf::Close,
            Leaf::Variable(2, vec![Some(7)], 1),
            Leaf::Tensor(1, None),
            Leaf::Word(3, u64::MAX),
        ];
        assert_eq!(leaves(b.words()), expected);
        assert!(is_general(b.words()));
        assert!(!is_general(&call(&[2], 1)));
    }

    #[test]
    fn distance_counts_leaves_before_words() {
        let near = |a: &Signature, b: &Signature| distance(a, b);
        assert_eq!(near(&call(&[2, 3], 7), &call(&[2, 3], 7)), (0, 0));
        assert_eq!(near(&call(&[2, 3], 7), &call(&[5, 3], 7)), (1, 1));
        assert_eq!(near(&call(&[2, 3], 7), &call(&[5, 4], 8)), (2, 3));
        let relaxed = generalise(&call(&[2], 7), &call(&[3], 7), false).unwrap();
        assert_eq!(near(&relaxed, &call(&[9], 8)), (1, 1));
        let mut longer = call(&[2, 3], 7);
        longer.extend_from_slice(&call(&[], 1));
        assert_eq!(near(&call(&[2, 3], 7), &longer).0, 2);
    }

    #[test]
    fn ranks_relax_on_request() {
        let general = generalise(&call(&[2], 7), &call(&[2, 2], 7), true).unwrap();
        assert!(matches(&general, &call(&[], 7)));
        assert_eq!(tensor_shapes(&general), [None]);
    }
}

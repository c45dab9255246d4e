//! The chunks of a WAV file: how it says what it holds.

use ferrograph_tensor::{Result, bail, err};

/// Bytes in front of the samples, where nothing but samples is written.
pub(crate) const HEADER: usize = 44;

/// What samples of 16 bits are of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// Samples at each time; at least one.
    pub channels: usize,
    /// Times in a second.
    pub rate: u32,
}

/// Bytes that are read from the front.
pub(crate) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let Some((taken, rest)) = self.0.split_at_checked(n) else {
            bail!(
                InvalidArgument,
                "Data too short: {n} bytes are wanted of a WAV file, {} are left",
                self.0.len()
            );
        };
        self.0 = rest;
        Ok(taken)
    }

    fn expect(&mut self, tag: &[u8; 4]) -> Result<()> {
        let found = self.take(4)?;
        if found != tag {
            bail!(
                InvalidArgument,
                "Header mismatch: expected {} but found {} in a WAV file",
                tag.escape_ascii(),
                found.escape_ascii()
            );
        }
        Ok(())
    }

    fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(
            self.take(2)?.try_into().unwrap_or_default(),
        ))
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(
            self.take(4)?.try_into().unwrap_or_default(),
        ))
    }

    fn size(&mut self) -> Result<usize> {
        usize::try_from(self.u32()?).map_err(|e| err!(InvalidArgument, "{e}"))
    }

    /// What stands in front of so many bytes of samples.
    pub fn header(format: Format, data: usize) -> Result<Vec<u8>> {
        let small = |n: usize| {
            u32::try_from(n).map_err(|_| err!(InvalidArgument, "audio is too long for a WAV file"))
        };
        let channels = u16::try_from(format.channels)
            .map_err(|_| err!(InvalidArgument, "a WAV file has at most 65535 channels"))?;
        let frame = 2 * u32::from(channels);
        let second = format.rate.checked_mul(frame);
        let second = second.ok_or_else(|| err!(InvalidArgument, "the sample rate is too high"))?;
        let mut head = Vec::with_capacity(HEADER);
        head.extend_from_slice(b"RIFF");
        head.extend_from_slice(&small(data.saturating_add(HEADER - 8))?.to_le_bytes());
        head.extend_from_slice(b"WAVEfmt ");
        head.extend_from_slice(&16_u32.to_le_bytes());
        head.extend_from_slice(&1_u16.to_le_bytes());
        head.extend_from_slice(&channels.to_le_bytes());
        head.extend_from_slice(&format.rate.to_le_bytes());
        head.extend_from_slice(&second.to_le_bytes());
        let frame = u16::try_from(frame)
            .map_err(|_| err!(InvalidArgument, "a WAV file has at most 32767 channels"))?;
        head.extend_from_slice(&frame.to_le_bytes());
        head.extend_from_slice(&16_u16.to_le_bytes());
        head.extend_from_slice(b"data");
        head.extend_from_slice(&small(data)?.to_le_bytes());
        Ok(head)
    }
}

/// The format of a file, and the bytes of its samples; chunks of other kinds are skipped, before the format and behind it.
pub(crate) fn find_chunks(contents: &[u8]) -> Result<(Format, &[u8])> {
    let mut bytes = Bytes(contents);
    bytes.expect(b"RIFF")?;
    bytes.take(4)?;
    bytes.expect(b"WAVE")?;
    loop {
        match bytes.take(4)? {
            b"fmt " => break,
            b"data" => bail!(InvalidArgument, "Unexpected field data"),
            _ => {
                let size = bytes.size()?;
                bytes.take(size)?;
            }
        }
    }
    let format = format(&mut bytes)?;
    loop {
        let tag = bytes.take(4)?;
        let size = bytes.size()?;
        let content = bytes.take(size)?;
        if tag == b"data" {
            return Ok((format, content));
        }
    }
}

fn format(bytes: &mut Bytes<'_>) -> Result<Format> {
    let size = bytes.size()?;
    if size != 16 && size != 18 {
        bail!(
            InvalidArgument,
            "Bad format chunk of a WAV file: expected 16 or 18 bytes, got {size}"
        );
    }
    let kind = bytes.u16()?;
    if kind != 1 {
        bail!(
            InvalidArgument,
            "Bad audio format for WAV: Expected 1 (PCM), but got {kind}"
        );
    }
    let channels = usize::from(bytes.u16()?);
    let rate = bytes.u32()?;
    bytes.take(4)?;
    let frame = usize::from(bytes.u16()?);
    let bits = bytes.u16()?;
    if bits != 16 {
        bail!(
            InvalidArgument,
            "Can only read 16-bit WAV files, but received {bits}"
        );
    }
    if channels == 0 || frame != 2 * channels {
        bail!(
            InvalidArgument,
            "Bad frame of a WAV file: {frame} bytes for {channels} channels of 16 bits"
        );
    }
    bytes.take(size - 16)?;
    Ok(Format { channels, rate })
}

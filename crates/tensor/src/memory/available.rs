//! The memory that is free at the moment, as the system tells.

use std::fs::read_to_string;
use std::path::Path;

/// The bytes that may be taken without anybody being ended for it; nothing where the system does not tell.
pub(super) fn now() -> Option<usize> {
    let machine = of_machine(&read_to_string("/proc/meminfo").ok()?)?;
    Some(of_group().map_or(machine, |group| group.min(machine)))
}

/// The number in a line that begins with a word.
fn number(text: &str, word: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix(word))?;
    line.split_whitespace().next()?.parse().ok()
}

fn of_machine(meminfo: &str) -> Option<usize> {
    let kib = number(meminfo, "MemAvailable:")? + number(meminfo, "SwapFree:").unwrap_or(0);
    kib.checked_mul(1024)
}

/// What is left to the control group that this process is in, whose cached files would make room.
fn of_group() -> Option<usize> {
    let groups = read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let at = Path::new("/sys/fs/cgroup").join(path);
    let read = |name| read_to_string(at.join(name)).ok();
    let most: usize = read("memory.max")?.trim().parse().ok()?;
    let used: usize = read("memory.current")?.trim().parse().ok()?;
    let cached = number(&read("memory.stat")?, "file ").unwrap_or(0);
    Some(most.saturating_sub(used.saturating_sub(cached)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_the_system_are_read() {
        let text = "MemTotal:       8 kB\nMemAvailable:    5 kB\nSwapFree:  2 kB\n";
        assert_eq!(of_machine(text), Some(7 * 1024));
        assert_eq!(of_machine("MemTotal: 8 kB"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn some_memory_is_free() {
        assert!(now().unwrap() > 1 << 20);
    }
}

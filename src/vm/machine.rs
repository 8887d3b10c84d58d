//! What memory the machine has, for the memory limit that holds when the user sets none.

use std::fs;

/// Physical memory and swap, or the control group's limit where that is smaller; `u64::MAX` where unknown.
pub(super) fn memory_bytes() -> u64 {
    let total = match fs::read_to_string("/proc/meminfo") {
        Ok(text) => field(&text, "MemTotal:").map(|ram| ram + field(&text, "SwapTotal:").unwrap_or(0)),
        Err(_) => None,
    };
    total.unwrap_or(u64::MAX).min(control_group_bytes())
}

/// The line `name   123 kB`, in bytes.
fn field(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// The smallest limit from the process's own control group (version 2) up to the root.
fn control_group_bytes() -> u64 {
    let Ok(groups) = fs::read_to_string("/proc/self/cgroup") else {
        return u64::MAX;
    };
    let Some(path) = groups.lines().find_map(|line| line.strip_prefix("0::")) else {
        return u64::MAX;
    };
    let mut least = u64::MAX;
    let mut path = path.trim_end_matches('/');
    loop {
        if let Ok(text) = fs::read_to_string(format!("/sys/fs/cgroup{path}/memory.max")) {
            least = least.min(text.trim().parse().unwrap_or(u64::MAX));
        }
        match path.rfind('/') {
            Some(slash) => path = &path[..slash],
            None => return least,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo_fields_are_read_in_bytes() {
        let text = "MemTotal:       24576 kB\nMemFree:  1 kB\nSwapTotal:      0 kB\n";
        assert_eq!(field(text, "MemTotal:"), Some(24576 * 1024));
        assert_eq!(field(text, "SwapTotal:"), Some(0));
        assert_eq!(field(text, "Nothing:"), None);
    }

    #[test]
    fn this_machine_has_some_memory() {
        assert!(memory_bytes() > 64 << 20);
    }
}

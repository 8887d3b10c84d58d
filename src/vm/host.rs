//! What memory the machine has, for the memory limit that holds when the user sets none.

use std::fs;
use std::path::Path;

/// Physical memory, or the control group's limit where that is smaller; `u64::MAX` where unknown.
pub(super) fn memory_bytes() -> u64 {
    let total = fs::read_to_string("/proc/meminfo").ok().and_then(|text| field(&text, "MemTotal:"));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    total.unwrap_or(u64::MAX).min(control_group_bytes(&groups, Path::new("/sys/fs/cgroup")))
}

/// The line `name   123 kB`, in bytes.
fn field(meminfo: &str, name: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// The smallest limit from the process's own control group up to the root, of version 2 (`0::/path`) and of version 1's
/// memory controller (`5:cpu,memory:/path`). `groups` is /proc/self/cgroup.
fn control_group_bytes(groups: &str, root: &Path) -> u64 {
    let limits = groups.lines().filter_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        match controllers {
            "" => Some(least_limit(root, path, "memory.max")),
            _ if controllers.split(',').any(|name| name == "memory") => {
                Some(least_limit(&root.join("memory"), path, "memory.limit_in_bytes"))
            }
            _ => None,
        }
    });
    limits.min().unwrap_or(u64::MAX)
}

/// The smallest number in `file` of the group at `path` and of those above; a word in place of a number is no limit.
fn least_limit(root: &Path, path: &str, file: &str) -> u64 {
    let groups = Path::new(path.trim_start_matches('/')).ancestors();
    let limits = groups.filter_map(|group| {
        let text = fs::read_to_string(root.join(group).join(file)).ok()?;
        text.trim().parse().ok()
    });
    limits.min().unwrap_or(u64::MAX)
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

    #[test]
    fn limits_of_control_groups_of_both_versions_hold_from_the_process_up() {
        let root = std::env::temp_dir().join(format!("adtape-groups-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("job/memory.max", "5000000\n");
        write("job/step/memory.max", "max\n");
        write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        write("memory/slurm/memory.limit_in_bytes", "3000000\n");
        write("memory/slurm/job/memory.limit_in_bytes", "4000000\n");
        let bytes = |groups| control_group_bytes(groups, &root);
        assert_eq!(bytes("0::/job/step\n"), 5_000_000);
        assert_eq!(bytes("12:cpu,cpuacct:/job\n5:memory:/slurm/job\n1:name=systemd:/x\n"), 3_000_000);
        assert_eq!(bytes("5:hugetlb,memory:/slurm\n0::/job\n"), 3_000_000);
        assert_eq!(bytes("5:memory:/not/mounted/here\n"), 9_223_372_036_854_771_712);
        assert_eq!(bytes("0::/elsewhere\n"), u64::MAX);
        assert_eq!(bytes(""), u64::MAX);
        fs::remove_dir_all(&root).unwrap();
    }
}

//! How a call knows where it was called from.

/// Defines a function's body as a jump to another one, with the address it will return to as an additional last
/// argument: the call site, for check mode and messages. `$n` is the number of arguments before it.
macro_rules! with_site {
    (0 => $to:path) => { with_site!(@ "rdi", "x0", $to) };
    (1 => $to:path) => { with_site!(@ "rsi", "x1", $to) };
    (2 => $to:path) => { with_site!(@ "rdx", "x2", $to) };
    (3 => $to:path) => { with_site!(@ "rcx", "x3", $to) };
    (4 => $to:path) => { with_site!(@ "r8", "x4", $to) };
    (5 => $to:path) => { with_site!(@ "r9", "x5", $to) };
    (@ $x86:literal, $arm:literal, $to:path) => {{
        #[cfg(target_arch = "x86_64")]
        std::arch::naked_asm!(concat!("mov ", $x86, ", [rsp]"), "jmp {to}", to = sym $to);
        #[cfg(target_arch = "aarch64")]
        std::arch::naked_asm!(concat!("mov ", $arm, ", x30"), "b {to}", to = sym $to);
    }};
}
pub(super) use with_site;

//! Refuses the platforms that adtape does not run on, and gives the shared library its SONAME.

use std::env;

/// The number in the SONAME. The library's ABI is that of its name: another number, another library.
const ABI: u32 = 0;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |what: &str| env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    let (os, arch, libc) = (target("OS"), target("ARCH"), target("ENV"));
    if !supported(&os, &arch, &libc) {
        eprintln!(
            "adtape does not support {arch}-{os}-{libc}. It runs on Linux with glibc, x86-64 or aarch64: build \
             it for x86_64-unknown-linux-gnu or aarch64-unknown-linux-gnu (cargo build --target ...)."
        );
        std::process::exit(1);
    }
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libadtape.so.{ABI}");
    // A thread that ends calls into the library, also after a dlclose.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}

/// 64-bit Linux with glibc: the tape needs mremap, a large address space and glibc's thread-local storage.
fn supported(os: &str, arch: &str, libc: &str) -> bool {
    os == "linux" && libc == "gnu" && matches!(arch, "x86_64" | "aarch64")
}

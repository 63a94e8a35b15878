//! Strips symbols from release builds. Cargo 1.95 ignores `strip = "symbols"` of a profile for a package that has an
//! `opt-level` of its own in that profile, as this one has.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|given| given == value);
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo:rustc-link-arg-bins=-Wl,--strip-all");
    }
}

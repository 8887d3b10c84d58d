/work/wt/me/examples/shallow_water/plot/target/debug/deps/cfg_if-d995ec1fb643b77d.d: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/cfg-if-1.0.5/src/lib.rs

/work/wt/me/examples/shallow_water/plot/target/debug/deps/libcfg_if-d995ec1fb643b77d.rlib: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/cfg-if-1.0.5/src/lib.rs

/work/wt/me/examples/shallow_water/plot/target/debug/deps/libcfg_if-d995ec1fb643b77d.rmeta: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/cfg-if-1.0.5/src/lib.rs

/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/cfg-if-1.0.5/src/lib.rs:

/work/wt/me/examples/shallow_water/plot/target/debug/deps/plotters_svg-2fa2018ca86fac37.d: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/plotters-svg-0.3.7/src/lib.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/plotters-svg-0.3.7/src/svg.rs

/work/wt/me/examples/shallow_water/plot/target/debug/deps/libplotters_svg-2fa2018ca86fac37.rlib: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/plotters-svg-0.3.7/src/lib.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/plotters-svg-0.3.7/src/svg.rs

/work/wt/me/examples/shallow_water/plot/target/debug/deps/libplotters_svg-2fa2018ca86fac37.rmeta: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/plotters-svg-0.3.7/src/lib.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/plotters-svg-0.3.7/src/svg.rs

/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/plotters-svg-0.3.7/src/lib.rs:
/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/plotters-svg-0.3.7/src/svg.rs:

/work/wt/me/examples/shallow_water/plot/target/debug/deps/plotters_svg-43dc81f8b2b3031d.d: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/plotters-svg-0.3.7/src/lib.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/plotters-svg-0.3.7/src/svg.rs

/work/wt/me/examples/shallow_water/plot/target/debug/deps/libplotters_svg-43dc81f8b2b3031d.rmeta: /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/plotters-svg-0.3.7/src/lib.rs /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/plotters-svg-0.3.7/src/svg.rs

/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/plotters-svg-0.3.7/src/lib.rs:
/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/plotters-svg-0.3.7/src/svg.rs:

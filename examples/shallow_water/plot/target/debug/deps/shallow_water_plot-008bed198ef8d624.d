/work/wt/me/examples/shallow_water/plot/target/debug/deps/shallow_water_plot-008bed198ef8d624.d: src/main.rs src/chart.rs src/checkpoints.rs src/map.rs src/page.rs src/page.html Cargo.toml

/work/wt/me/examples/shallow_water/plot/target/debug/deps/libshallow_water_plot-008bed198ef8d624.rmeta: src/main.rs src/chart.rs src/checkpoints.rs src/map.rs src/page.rs src/page.html Cargo.toml

src/main.rs:
src/chart.rs:
src/checkpoints.rs:
src/map.rs:
src/page.rs:
src/page.html:
Cargo.toml:

# env-dep:CLIPPY_ARGS=
# env-dep:CLIPPY_CONF_DIR

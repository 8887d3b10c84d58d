/work/wt/me/examples/shallow_water/plot/target/debug/deps/shallow_water_plot-97b957e2708c64cf.d: src/main.rs src/chart.rs src/checkpoints.rs src/map.rs src/page.rs src/page.html

/work/wt/me/examples/shallow_water/plot/target/debug/deps/shallow_water_plot-97b957e2708c64cf: src/main.rs src/chart.rs src/checkpoints.rs src/map.rs src/page.rs src/page.html

src/main.rs:
src/chart.rs:
src/checkpoints.rs:
src/map.rs:
src/page.rs:
src/page.html:

//! Both sweeps of a head as functions of the user.

use crate::common::Scratch;
use std::process::Command;

/// Work space that each call fills anew, at file scope and of the caller.
const STEPS: &str = "#include <math.h>
static double w[4];
void step(double *u, double *work) {
    for (int i = 0; i < 4; i++) w[i] = sin(u[i]), work[i] = u[i] * u[i];
    for (int i = 0; i < 4; i++) u[i] += w[i] * w[(i + 1) % 4] * work[3 - i];
}
double cost(const double *u, double *work) {
    for (int i = 0; i < 4; i++) work[i] = exp(u[i]), w[i] = work[i] * u[i];
    return w[0] * work[1] + w[2] * w[3];
}
";

/// Runs the forward sweeps of all steps before the first reverse sweep; compares with the two one behind the other.
const STEPS_DRIVER: &str = "#include \"steps_b.h\"
#include <stdio.h>
#include <string.h>
int main(void) {
    double u[4] = {0.1, 0.2, 0.3, 0.4}, u_b[4] = {0.0}, work[4], work_b[4] = {0.0}, at[3][4], v_b[4] = {0.0};
    for (int t = 0; t < 3; t++) memcpy(at[t], u, sizeof u), step_fwd(adtape_self(), u, work);
    double end[4];
    memcpy(end, u, sizeof u);
    cost_fwd(adtape_self(), u, work);
    cost_rev(adtape_self(), u, u_b, work, work_b, 1.0);
    for (int t = 0; t < 3; t++) step_rev(adtape_self(), u, u_b, work, work_b);
    memset(work_b, 0, sizeof work_b);
    cost_b(end, v_b, work, work_b, 1.0);
    for (int t = 3; t-- > 0;) step_b(at[t], v_b, work, work_b);
    for (int i = 0; i < 4; i++) printf(\"%a %a\\n\", u_b[i], v_b[i]);
    return memcmp(u_b, v_b, sizeof u_b) != 0 || u_b[0] == 0.0;
}
";

/// The reverse sweep of a step read what the last forward sweep had left in the work space.
#[test]
fn forward_sweeps_may_all_run_before_the_reverse_sweeps() {
    let folder = Scratch::new("steps");
    folder.write("steps.c", STEPS);
    folder.write("driver.c", STEPS_DRIVER);
    let mut command = Command::new(env!("CARGO_BIN_EXE_adtape"));
    let heads = "step(u work)/(u work) cost(cost)/(u work)";
    let said =
        command.current_dir(&folder.0).args(["adjoint", "steps.c", "--head", heads, "--split"]).output().unwrap();
    assert!(said.status.success() && said.stderr.is_empty(), "{}", String::from_utf8_lossy(&said.stderr));
    folder.builds_and_runs(&["-Wall", "-Wextra", "-Werror", "steps_b.c", "driver.c"]);
}

//! Tests of what the program assumes of function pointers, in front of a body.

use super::Printed;
use crate::ir::Program;

impl Printed {
    /// Begins with a test that function pointers hold what the sweeps call in their place.
    pub(crate) fn guarded(mut self, program: &Program, what: &str) -> Printed {
        for (variable, function) in &program.assumed {
            self.begins += &format!(
                "    if ({variable} != {function}) {{\n        fprintf(stderr, \"{what}: {variable} is not {function}, which \
                 its initialiser names: write the {what} of the other function\\n\");\n        abort();\n    }}\n"
            );
        }
        self
    }
}

//! What happens as the library is loaded, before any thread can use it.

use crate::{objects, process, site, tape};

extern "C" fn loaded() {
    // A plugin that contains the library may be closed while threads live that have used tapes.
    site::keep_loaded(loaded as *const () as usize);
    // What the thread that forks does around it is known before any lock can be taken: threads may use the library for the
    // first time while another one forks. A fork runs last what was registered first. Who has a lock of maps or heaps may
    // take those of tapes: a fork takes these last.
    process::prepare_for_children();
    tape::fork::prepare_for_children();
    objects::fork::prepare_for_children();
}

// SAFETY: a pointer to a function without arguments, which the loader calls once.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = loaded;

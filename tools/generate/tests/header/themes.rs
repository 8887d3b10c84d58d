//! The themes of the C API: what each header includes, and which sources it is made of.

/// One header, `include/adtape/<name>.h`.
pub struct Theme {
    /// The folder of `src/ffi` and of `ctests`, and the header's name.
    pub name: &'static str,
    /// What the header is for.
    pub purpose: &'static str,
    /// Headers of other themes whose types it uses.
    pub needs: &'static [&'static str],
    /// The header that it ends with.
    pub inlined: Option<&'static str>,
    /// Where its types are defined outside `src/ffi`.
    pub types: &'static [&'static str],
    /// Its sections in order: the name of each, which is that of a program in `ctests`, and its file in `src/ffi`.
    pub sections: &'static [(&'static str, &'static str)],
    /// Types that cbindgen cannot write.
    pub by_hand: &'static str,
}

pub const THEMES: [Theme; 7] = [
    Theme {
        name: "process",
        purpose: "limits, errors and settings, which all tapes, heaps and objects of the process share",
        needs: &[],
        inlined: None,
        types: &["error", "process"],
        sections: &[("error", "error"), ("settings", "settings")],
        by_hand: concat!(
            "\n// The version that these headers belong to; adtape_version() says which the library is of.\n",
            "#define ADTAPE_VERSION \"",
            env!("CARGO_PKG_VERSION"),
            "\"\n#define ADTAPE_VERSION_MAJOR ",
            env!("CARGO_PKG_VERSION_MAJOR"),
            "\n#define ADTAPE_VERSION_MINOR ",
            env!("CARGO_PKG_VERSION_MINOR"),
            "\n#define ADTAPE_VERSION_PATCH ",
            env!("CARGO_PKG_VERSION_PATCH"),
            "

// A program's own reaction to an error that a push or pop cannot return; NULL for the default. The status is one
// of ADTAPE_STATUS_…, the message valid during the call, user what was given with the handler.
typedef void (*adtape_error_handler_t)(int32_t status, const char *message, void *user);
"
        ),
    },
    Theme {
        name: "tape",
        purpose: "values, arrays, sections, control, marks, repeat regions, statistics",
        needs: &["process"],
        inlined: Some("inline"),
        types: &["tape/hot/mod", "tape/cursor/section", "tape/mark", "tape/profile", "tape/stats", "tape/types"],
        sections: &[
            ("tape", "tapes"),
            ("scalar", "scalar"),
            ("array", "array"),
            ("section", "section"),
            ("control", "control"),
            ("mark", "mark"),
            ("repeat", "repeat"),
            ("stats", "stats"),
            ("entry", "site"),
            ("entry", "entry"),
        ],
        by_hand: "
// The cold state of a tape.
typedef struct adtape_core adtape_core_t;
",
    },
    Theme {
        name: "objects",
        purpose: "what is alive and where: ranges, pointers, pairs, rebase",
        needs: &["tape"],
        inlined: Some("inline_objects"),
        types: &["map/registry/object", "objects/set"],
        sections: &[
            ("objects", "sets"),
            ("objects", "buffer"),
            ("live", "live"),
            ("range", "range"),
            ("rebase", "rebase"),
            ("pointer", "pointer"),
            ("pair", "pair"),
            ("descriptor", "descriptor"),
        ],
        by_hand: "",
    },
    Theme {
        name: "heap",
        purpose: "the stable heap, whose blocks come back at their addresses",
        needs: &["objects"],
        inlined: Some("inline_heap"),
        types: &["heap/mark", "heap/stats"],
        sections: &[("heap", "heaps"), ("join", "join"), ("block", "block"), ("snapshot", "snapshot")],
        by_hand: "
// A stable heap, of which a program sees where adjoints are. Not to be copied.
typedef struct adtape_heap {
    // Adjoint = address + delta, where there is one adjoint byte for each primal byte.
    intptr_t delta;
    // In general, adjoint = factor * address + origin.
    uintptr_t factor;
    uintptr_t origin;
} adtape_heap_t;
",
    },
    Theme {
        name: "checkpoint",
        purpose: "stores, checkpoints, checkpoints of everything alive",
        needs: &["heap"],
        inlined: None,
        types: &["objects/snapshot/counts"],
        sections: &[
            ("store", "store"),
            ("store", "user_store"),
            ("checkpoint", "checkpoints"),
            ("restoration", "restoration"),
        ],
        by_hand: "",
    },
    Theme {
        name: "driver",
        purpose: "schedules, and drivers that perform them",
        needs: &["checkpoint"],
        inlined: None,
        types: &["schedule/action", "schedule/mod", "driver/progress"],
        sections: &[
            ("schedule", "schedule"),
            ("driver", "drivers"),
            ("passes", "passes"),
            ("variable", "variable"),
            ("variable", "keeper"),
        ],
        by_hand: "",
    },
    Theme {
        name: "verify",
        purpose: "derivative tests: a gradient against its function, a tangent against its adjoint; waypoints",
        needs: &["process"],
        inlined: None,
        types: &["verify/report"],
        sections: &[("derivative", "derivative"), ("waypoint", "waypoint")],
        by_hand: "",
    },
];

impl Theme {
    /// The source of a section.
    pub fn source(&self, file: &str) -> String {
        format!("src/ffi/{}/{file}.rs", self.name)
    }

    /// Its header, below `include`.
    pub fn header(&self) -> String {
        format!("adtape/{}.h", self.name)
    }
}

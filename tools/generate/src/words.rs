//! The vocabulary of argument types in declarations of calls: each word with its type in Fortran and in C.

/// How the C glue hands an argument on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// As it is.
    Plain,
    /// The handle of an object of C.
    Handle,
    /// A number of bytes, as integer(4) or integer(8): two procedures.
    Size,
    /// An integer(8) that must not be negative.
    Number,
    /// An integer(4) or integer(8).
    Integer,
    /// Characters, as a C string; absent ones as NULL.
    Text,
    /// Characters of a label, as a C string; absent ones are empty.
    Label,
}

/// A word for a type.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// As declarations of calls write it.
    pub name: &'static str,
    /// The type in Fortran.
    pub fortran: &'static str,
    /// What an interface body imports to declare it.
    pub import: &'static str,
    /// The type in C, of a handle what it points to.
    pub c: &'static str,
    /// How the glue hands it on.
    pub passing: Passing,
}

const fn word(
    name: &'static str,
    fortran: &'static str,
    import: &'static str,
    c: &'static str,
    passing: Passing,
) -> Word {
    Word { name, fortran, import, c, passing }
}

const TEXT: &str = "character(kind=c_char, len=*)";

/// All words.
#[rustfmt::skip]
pub const WORDS: &[Word] = &[
    word("i32", "integer(c_int32_t)", "c_int32_t", "int32_t", Passing::Plain),
    word("i64", "integer(c_int64_t)", "c_int64_t", "int64_t", Passing::Plain),
    word("f64", "real(c_double)", "c_double", "double", Passing::Plain),
    word("f32", "real(c_float)", "c_float", "float", Passing::Plain),
    word("bool", "logical(c_bool)", "c_bool", "bool", Passing::Plain),
    word("address", "type(c_ptr)", "c_ptr", "void *", Passing::Plain),
    word("function", "type(c_funptr)", "c_funptr", "", Passing::Plain),
    word("size", "", "", "", Passing::Size),
    word("integer", "", "", "", Passing::Integer),
    word("number", "integer(c_int64_t)", "c_int64_t", "int64_t", Passing::Number),
    word("text", TEXT, "c_char", "const CFI_cdesc_t *", Passing::Text),
    word("label", TEXT, "c_char", "const CFI_cdesc_t *", Passing::Label),
    word("type(*)", "type(*)", "", "void", Passing::Plain),
    word("class(*)", "class(*)", "", "void", Passing::Plain),
    word("object", "type(adtape_object)", "adtape_object", "void", Passing::Plain),
    word("tape", "type(adtape_tape)", "adtape_tape", "adtape_t", Passing::Handle),
    word("heap", "type(adtape_heap)", "adtape_heap", "adtape_heap_t", Passing::Handle),
    word("store", "type(adtape_store)", "adtape_store", "adtape_store_t", Passing::Handle),
    word("checkpoint", "type(adtape_checkpoint)", "adtape_checkpoint", "adtape_checkpoint_t", Passing::Handle),
    word("restoration", "type(adtape_restoration)", "adtape_restoration", "adtape_restoration_t", Passing::Handle),
    word("schedule", "type(adtape_schedule)", "adtape_schedule", "adtape_schedule_t", Passing::Handle),
    word("driver", "type(adtape_driver)", "adtape_driver", "adtape_driver_t", Passing::Handle),
    word("mark", "type(adtape_mark)", "adtape_mark", "adtape_mark_t", Passing::Plain),
    word("stats", "type(adtape_stats)", "adtape_stats", "adtape_stats_t", Passing::Plain),
    word("traffic", "type(adtape_traffic)", "adtape_traffic", "adtape_traffic_t", Passing::Plain),
    word("memory_use", "type(adtape_memory)", "adtape_memory", "adtape_memory_t", Passing::Plain),
    word("section", "type(adtape_section)", "adtape_section", "adtape_section_t", Passing::Plain),
    word("range", "type(adtape_range)", "adtape_range", "adtape_range_t", Passing::Plain),
    word("pair", "type(adtape_pair)", "adtape_pair", "adtape_pair_t", Passing::Plain),
    word("live_counts", "type(adtape_live_stats)", "adtape_live_stats", "adtape_live_stats_t", Passing::Plain),
    word("wanted", "type(adtape_wanted)", "adtape_wanted", "adtape_wanted_t", Passing::Plain),
    word("save_stats", "type(adtape_save_stats)", "adtape_save_stats", "adtape_save_stats_t", Passing::Plain),
    word("restore_stats", "type(adtape_restore_stats)", "adtape_restore_stats", "adtape_restore_stats_t",
        Passing::Plain),
    word("instruction", "type(adtape_instruction)", "adtape_instruction", "adtape_instruction_t", Passing::Plain),
    word("progress", "type(adtape_progress)", "adtape_progress", "adtape_progress_t", Passing::Plain),
    word("prediction", "type(adtape_prediction)", "adtape_prediction", "adtape_prediction_t", Passing::Plain),
    word("test_report", "type(adtape_test_report)", "adtape_test_report", "adtape_test_report_t", Passing::Plain),
    word("heap_mark", "type(adtape_heap_mark)", "adtape_heap_mark", "adtape_heap_mark_t", Passing::Plain),
    word("heap_stats", "type(adtape_heap_stats)", "adtape_heap_stats", "adtape_heap_stats_t", Passing::Plain),
];

/// The word of this name.
pub fn find(name: &str) -> Option<Word> {
    WORDS.iter().copied().find(|word| word.name == name)
}

//! The names that the program gives its ranges, each kept once, for as long as the registry lives.

#![forbid(unsafe_code)]

use super::object::LABELS;
use super::table::Table;
use crate::sync::{Arc, ForkLock, Holdable, LockGuard, OnceLock};
use std::collections::HashMap;
use std::ffi::CStr;

/// Numbers for labels; 0 is the empty one, which also stands for all beyond [`LABELS`].
pub(super) struct Labels {
    numbers: ForkLock<HashMap<Arc<CStr>, u32>>,
    /// By number, each set before anybody knows the number.
    texts: Table<OnceLock<Arc<CStr>>>,
}

impl Labels {
    pub fn new() -> Labels {
        let labels = Labels { numbers: ForkLock::new(HashMap::new()), texts: Table::new() };
        labels.number(c"");
        labels
    }

    /// What a fork holds.
    pub fn holdable(&self) -> &dyn Holdable {
        &self.numbers
    }

    fn lock(&self) -> LockGuard<'_, HashMap<Arc<CStr>, u32>> {
        self.numbers.lock()
    }

    /// The label with its number.
    pub fn number(&self, text: &CStr) -> (Arc<CStr>, u32) {
        let mut numbers = self.lock();
        if let Some((text, number)) = numbers.get_key_value(text) {
            return (text.clone(), *number);
        }
        let number = numbers.len() as u32;
        if number == LABELS {
            return (c"".into(), 0);
        }
        let text: Arc<CStr> = text.into();
        numbers.insert(text.clone(), number);
        self.texts.get_or_make(number as usize, OnceLock::new).get_or_init(|| text.clone());
        (text, number)
    }

    /// The label with this number; the text lives as long as the table.
    #[inline]
    pub fn text(&self, number: u32) -> &CStr {
        self.texts.get(number as usize).and_then(OnceLock::get).map_or(c"", |text| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_has_one_number_and_one_text() {
        let labels = Labels::new();
        let (text, x) = labels.number(c"x");
        assert_eq!(labels.number(c"").1, 0);
        assert_eq!(labels.number(c"x").1, x);
        assert_ne!(labels.number(c"y").1, x);
        assert_eq!(labels.text(x), c"x");
        assert!(std::ptr::eq(labels.text(x).as_ptr(), text.as_ptr()));
        assert_eq!(labels.text(99), c"");
    }
}

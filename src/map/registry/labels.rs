//! The names that the program gives its ranges, each kept once, for as long as the registry lives.

#![forbid(unsafe_code)]

use super::object::LABELS;
use crate::sync::{Arc, Lock, LockGuard};
use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::PoisonError;

/// Numbers for labels; 0 is the empty one, which also stands for all beyond [`LABELS`].
pub(super) struct Labels {
    table: Lock<Table>,
}

struct Table {
    numbers: HashMap<Arc<CStr>, u32>,
    texts: Vec<Arc<CStr>>,
}

impl Labels {
    pub fn new() -> Labels {
        let none: Arc<CStr> = c"".into();
        Labels { table: Lock::new(Table { numbers: HashMap::from([(none.clone(), 0)]), texts: vec![none] }) }
    }

    fn lock(&self) -> LockGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The label with its number.
    pub fn number(&self, text: &CStr) -> (Arc<CStr>, u32) {
        let mut table = self.lock();
        if let Some((text, number)) = table.numbers.get_key_value(text) {
            return (text.clone(), *number);
        }
        let number = table.texts.len() as u32;
        if number == LABELS {
            return (table.texts[0].clone(), 0);
        }
        let text: Arc<CStr> = text.into();
        table.numbers.insert(text.clone(), number);
        table.texts.push(text.clone());
        (text, number)
    }

    /// The label with this number; the text lives as long as the table.
    pub fn text(&self, number: u32) -> Arc<CStr> {
        let table = self.lock();
        table.texts.get(number as usize).unwrap_or(&table.texts[0]).clone()
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
        assert_eq!(&*labels.text(x), c"x");
        assert!(std::ptr::eq(labels.text(x).as_ptr(), text.as_ptr()));
        assert_eq!(&*labels.text(99), c"");
    }
}

//! The codes of an enumeration, in one table: all of them, the one with a code, and names.

#![forbid(unsafe_code)]

use std::ffi::CStr;

/// `codes! { pub Colour: i32 from 1 { Red "red", Blue "blue" } }` gives `Colour` the list `ALL`, `from_code` and, where
/// there are names, `name`. The variants stand in the order of their codes, which begin at the number given and have no
/// gaps; the compiler refuses a table that says otherwise or lacks a variant.
macro_rules! codes {
    ($vis:vis $type:ident: $code:ident from $first:literal { $($variant:ident $($name:literal)?),+ $(,)? }) => {
        impl $type {
            /// All of them, in the order of their codes.
            $vis const ALL: [$type; [$($type::$variant),+].len()] = [$($type::$variant),+];

            /// The one with this code.
            $vis fn from_code(code: $code) -> Option<$type> {
                usize::try_from(code).ok()?.checked_sub($first).and_then(|i| $type::ALL.get(i).copied())
            }
        }

        const _: () = {
            let mut i = 0;
            while i < $type::ALL.len() {
                assert!($type::ALL[i] as usize == i + $first, "a variant is out of order");
                match $type::ALL[i] {
                    $($type::$variant => i += 1),+
                }
            }
        };

        codes!(@names $vis $type $($variant $($name)?,)+);
    };
    (@names $vis:vis $type:ident $($variant:ident,)+) => {};
    (@names $vis:vis $type:ident $($variant:ident $name:literal,)+) => {
        impl $type {
            /// Its name.
            $vis fn name(self) -> &'static str {
                self.c_name().to_str().expect("a name of the table is UTF-8")
            }

            /// Its name as C has it, valid for ever.
            $vis fn c_name(self) -> &'static std::ffi::CStr {
                match self {
                    $($type::$variant => const { $crate::codes::terminated(concat!($name, "\0")) }),+
                }
            }
        }
    };
}
pub(crate) use codes;

/// A text that ends with NUL, as C has it.
pub(crate) const fn terminated(text: &str) -> &CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("a name has no NUL but at its end"),
    }
}

#[cfg(test)]
mod tests {
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Colour {
        Red = 1,
        Blue = 2,
    }

    codes! { Colour: i32 from 1 { Red "red", Blue "blue" } }

    #[test]
    fn code_finds_its_variant_and_no_other_finds_one() {
        for (i, colour) in Colour::ALL.into_iter().enumerate() {
            assert_eq!((colour as usize, Colour::from_code(colour as i32)), (i + 1, Some(colour)));
        }
        assert_eq!(Colour::ALL.map(Colour::name), ["red", "blue"]);
        assert_eq!([i32::MIN, -1, 0, 3, i32::MAX].map(Colour::from_code), [None; 5]);
    }
}

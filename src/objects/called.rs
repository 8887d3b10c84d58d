//! Calls on objects, with what a call knows of its caller: where in the program it is, which messages name, and who
//! sets the pointer variables that it restores.
//!
//! Each is written once, in `calls!`: as a method of [`Called`], which the C ABI makes, and as one of [`Objects`] for
//! Rust, whose compiler knows the caller.

#![forbid(unsafe_code)]

use super::set::Objects;
use super::variables::Writer;
use crate::site::Site;
use std::ops::Deref;

/// Objects as one call uses them.
pub(crate) struct Called<'a> {
    objects: &'a Objects,
    /// Where the call is.
    pub site: Site,
    /// Who sets pointer variables.
    pub writer: Writer,
}

impl<'a> Called<'a> {
    pub fn new(objects: &'a Objects, site: Site, writer: Writer) -> Called<'a> {
        Called { objects, site, writer }
    }

    /// By the caller of a function with `#[track_caller]`, who sets variables itself.
    #[inline(always)]
    #[track_caller]
    pub fn by_rust(objects: &'a Objects) -> Called<'a> {
        Called::new(objects, Site::caller(), Writer::CALLER)
    }
}

impl Deref for Called<'_> {
    type Target = Objects;

    fn deref(&self) -> &Objects {
        self.objects
    }
}

/// Makes each function a method of [`Called`], and one of [`Objects`] that hands its caller on.
macro_rules! calls {
    ($(
        $(#[$comment:meta])*
        pub fn $name:ident(&$self:ident $(, $argument:ident: $of_type:ty)* $(,)?) -> $result:ty $body:block
    )*) => {
        impl Objects {$(
            $(#[$comment])*
            #[track_caller]
            pub fn $name(&self $(, $argument: $of_type)*) -> $result {
                $crate::objects::called::Called::by_rust(self).$name($($argument),*)
            }
        )*}

        impl $crate::objects::called::Called<'_> {$(
            #[inline(always)]
            pub(crate) fn $name(&$self $(, $argument: $of_type)*) -> $result $body
        )*}
    };
}
pub(super) use calls;

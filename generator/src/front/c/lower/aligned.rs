//! Blocks of functions that align them.

use super::*;
use make::*;

/// Which argument of a function that gives an aligned block is its number of bytes. The sweeps align blocks
/// as `malloc` does: no number depends on it.
pub fn bytes_of_aligned(name: &str) -> Option<usize> {
    match name.strip_prefix("__builtin_").unwrap_or(name) {
        "aligned_alloc" | "memalign" => Some(1),
        "posix_memalign" => Some(2),
        "valloc" | "_mm_malloc" => Some(0),
        _ => None,
    }
}

impl<'a> Lower<'_, 'a> {
    /// `posix_memalign(&p, 64, bytes)`: `p` is a new block, the result is 0.
    pub fn aligned(&mut self, node: &'a Node<'a>, to: &'a Node<'a>, bytes: &'a Node<'a>) -> Result<Option<Expr>> {
        let to = Self::uncast(to);
        let (true, CType::Pointer(pointer)) = (to.operator == "&" && to.inner.len() == 1, self.ctype(to).ty) else {
            let help = "pass the address of the pointer: posix_memalign((void **)&p, 64, bytes)";
            return self.refuse(node, Class::Pointer, "where the block of 'posix_memalign' goes is not known", help);
        };
        let (lvalue, CType::Pointer(elem)) = (to.only(), pointer.ty) else { return self.unknown(node) };
        self.block_name = scan::name_of(lvalue);
        let spot = self.place(lvalue)?;
        let wrapper = wrappers::Wrapper { factors: vec![(bytes, false)], zeroed: false, old: None };
        let block = self.allocate_product(node, elem.ty.ir(), &wrapper)?;
        self.put(spot, block, false, lvalue)?;
        Ok(Some(constant(0, Type::int())))
    }
}

//! Blocks that pointers of no type hold: `net->data = malloc(n * sizeof(double))`. The number of bytes says what the
//! elements are; memory that is accessed as something else later is refused there.

use super::*;
use make::*;

impl<'a> Lower<'_, 'a> {
    /// Makes a block of the elements whose size its number of bytes has. `None`: it does not say.
    pub fn allocate_by_size(&mut self, call: &'a Node<'a>) -> Result<Option<Expr>> {
        let mut sizes: Vec<&'a Node<'a>> = Vec::new();
        for argument in &call.inner[1..] {
            scan::walk(argument, &mut |part| {
                let is_size = part.kind == "UnaryExprOrTypeTraitExpr" && part.name == "sizeof";
                sizes.extend(is_size.then_some(part));
                !is_size
            });
        }
        let [size] = sizes[..] else { return Ok(None) };
        let text = match size.inner.first() {
            Some(operand) if size.argument_type.is_empty() => operand.bare().ty().to_string(),
            _ => size.argument_type.to_string(),
        };
        let elem = self.qualified(&text).ty.ir();
        let is_element = match elem {
            Type::Int { bits, .. } => bits > 8,
            Type::Float { .. } | Type::Struct(_) | Type::Pointer(_) => true,
            Type::Array(_) | Type::Void | Type::Opaque(_) => false,
        };
        if !is_element {
            return Ok(None);
        }
        let block = self.allocate(call, elem)?;
        Ok(Some(cast(block, Type::pointer(Type::Void))))
    }
}

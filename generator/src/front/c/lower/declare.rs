//! Declarations and initialisers.

use super::place::Spot;
use super::*;
use crate::front::c::types::{self, Extent};
use crate::names::Names;
use make::*;

pub(super) const ERRNO: &str = "errno";

impl<'a> Lower<'_, 'a> {
    /// A declaration among the statements.
    pub fn declaration(&mut self, node: &'a Node<'a>) -> Result<()> {
        // Each declarator is an expression of its own: what the one before it did came before.
        self.effects = Effects::default();
        let done = self.lower_declaration(node);
        if let Err(refusal) = &done {
            self.refused.insert(node.id, refusal.clone());
        }
        done
    }

    fn lower_declaration(&mut self, node: &'a Node<'a>) -> Result<()> {
        match node.kind {
            "VarDecl" => self.variable(node),
            "TypedefDecl" | "RecordDecl" | "EnumDecl" => {
                if node.kind == "TypedefDecl" {
                    let found = self.ctype(node);
                    self.evaluate_extents(&found.ty, node, false)?;
                }
                if !node.name.is_empty() || node.kind == "EnumDecl" {
                    let (function, span) = (self.b.proc().name.clone(), self.span(node));
                    self.reader.statics.push(Declared { function, variable: None, initial: None, span });
                }
                Ok(())
            }
            "FunctionDecl" => {
                let has_source = self.reader.definition(self.unit, &node.name, false).is_some();
                if !has_source && Names::of_c().is_free(&node.name) {
                    self.declare_outside(node);
                }
                Ok(())
            }
            "EmptyDecl" | "StaticAssertDecl" => Ok(()),
            _ => self.unknown(node),
        }
    }

    fn variable(&mut self, node: &'a Node<'a>) -> Result<()> {
        self.visible.push((node.name.to_string(), node.id));
        if let Some(attribute) = node.inner.iter().find(|part| part.kind.ends_with("Attr")) {
            let what =
                format!("'{}' has an attribute that the front end does not know ({})", node.name, attribute.kind);
            return self.refuse(node, Class::Language, what, "remove the attribute");
        }
        if node.storage == "static" && !self.is_automatic(node) {
            return self.local_static(node);
        }
        if node.storage == "extern" {
            return self.local_extern(node);
        }
        if types::is_list(node.ty()) {
            self.b.proc_mut().has_list = true;
            self.bind(node.id, Binding::Stream(node.name.to_string()));
            return Ok(());
        }
        let found = self.ctype(node);
        // Nothing but the function itself sees a number whose address nobody takes.
        let own = matches!(found.ty, CType::Int { .. } | CType::Float(_)) && !self.addressed.contains(&node.id);
        if found.is_volatile() && !own {
            return self.refuse(node, Class::Type, format!("'{}' is volatile", node.name), "remove volatile");
        }
        match &found.ty {
            CType::Int { .. } | CType::Float(_) | CType::Pointer(_) => self.scalar(node, &found),
            CType::Array(..) if found.is_table_of_functions() => {
                let what = format!("'{}' is a local array of functions", node.name);
                self.refuse(node, Class::Type, what, "declare it static const")
            }
            CType::Array(..) => {
                self.evaluate_extents(&found.ty, node, false)?;
                if !self.bindings.contains_key(&node.id) {
                    self.predeclare(node)?;
                }
                self.initialise_object(node, found.ty.ir())
            }
            CType::Struct(id) => {
                let id = *id;
                if self.whole_or_addressed(node.id, id) {
                    if !self.bindings.contains_key(&node.id) {
                        self.predeclare(node)?;
                    }
                    return self.initialise_object(node, found.ty.ir());
                }
                let binding = match self.bindings.get(&node.id) {
                    Some(binding) => binding.clone(),
                    None => self.predeclare_split(node, id)?,
                };
                match node.inner.iter().rfind(|_| node.has_init) {
                    Some(init) if init.kind == "InitListExpr" => self.initialise_split(binding, Some(init)),
                    Some(init) => {
                        let Binding::Split(id, members) = binding else { return self.unknown(node) };
                        self.struct_into(Spot::Split(id, members), init)
                    }
                    None => Ok(()),
                }
            }
            CType::Opaque(name) => {
                let (what, help) = self.opaque(name);
                self.refuse(node, Class::Type, format!("'{}' {what}", node.name), help)
            }
            CType::Void | CType::Function => self.unknown(node),
        }
    }

    /// Whether a struct must be memory.
    pub fn whole_or_addressed(&self, id: u64, of: StructId) -> bool {
        let fields = &self.reader.structs.types.structs[of].fields;
        self.addressed.contains(&id) || self.is_view(of) || fields.iter().any(|field| field.ty.is_function_pointer())
    }

    fn scalar(&mut self, node: &'a Node<'a>, found: &Qualified) -> Result<()> {
        if found.ty.is_function_pointer() {
            return if self.is_choice(node) { self.begin_choice(node) } else { self.function_variable(node) };
        }
        self.evaluate_extents(&found.ty, node, false)?;
        let (span, ty) = (self.span(node), self.variable_type(&found.ty));
        let init = node.inner.iter().rfind(|_| node.has_init);
        if self.addressed.contains(&node.id) {
            if found.ty.elements_of_rows().is_some() {
                let what = format!("the address of '{}' is taken, a pointer to rows of variable extent", node.name);
                return self.refuse(node, Class::Pointer, what, "take the address of another variable");
            }
            if !self.bindings.contains_key(&node.id) {
                self.predeclare(node)?;
            }
            let Some(Binding::Object(object)) = self.bindings.get(&node.id).cloned() else { return self.unknown(node) };
            if let Some(init) = init {
                let from = self.initial_value(node, init)?;
                let to = Place { base: Base::Object(object), path: Vec::new(), ty };
                self.write(Spot::Memory(to), from, node)?;
            }
            return Ok(());
        }
        let var = match self.bindings.get(&node.id) {
            Some(Binding::Var(var)) => *var,
            _ => self.predeclare_scalar(node, ty, span),
        };
        match init {
            Some(init) => {
                let from = self.initial_value(node, init)?;
                let from = self.flat_pointer(from, &found.ty, node)?;
                self.b.assign(var, from);
            }
            None => self.b.forget(var),
        }
        Ok(())
    }

    /// Makes the variable of a declaration.
    pub fn predeclare_scalar(&mut self, node: &'a Node<'a>, ty: Type, span: Span) -> VarId {
        // A type of its own needs a name of its own.
        let found = self.ctype(node);
        let is_own = found.ty.elements_of_rows().is_some();
        let (name, kind) =
            if is_own { (self.unique(&node.name), VarKind::Renamed) } else { self.variable_name(&node.name) };
        let var = self.b.var(&name, ty, kind, span);
        self.b.proc_mut().vars[var].constants = found.constants();
        self.bind(node.id, Binding::Var(var));
        self.b.emit(ItemKind::DeclareVar { var });
        var
    }

    fn initial_value(&mut self, node: &'a Node<'a>, init: &'a Node<'a>) -> Result<Expr> {
        self.block_name = node.name.to_string();
        self.whole_value(init)
    }

    /// The name of a variable, and whether it is the user's: not if the name is hidden, or an object has it.
    pub fn variable_name(&mut self, name: &str) -> (String, VarKind) {
        let hides = self.visible.iter().filter(|(visible, _)| visible == name).count() > 1;
        let taken = self.b.proc().objects.iter().any(|object| object.name == name);
        if hides || taken {
            (self.unique(name), VarKind::Renamed)
        } else {
            self.names.insert(name.to_string());
            (name.to_string(), VarKind::User)
        }
    }

    /// Makes the object of a declaration: an array, a struct, a scalar whose address is taken.
    pub fn predeclare(&mut self, node: &'a Node<'a>) -> Result<()> {
        let found = self.ctype(node);
        let name = self.unique(&node.name);
        let object = match &found.ty {
            ty @ CType::Array(..) => self.array_object(name, ty, node)?,
            ty => {
                let (life, span) = (Life::Region(self.b.region()), self.span(node));
                self.b.object(Object { name, elem: ty.ir(), shape: Vec::new(), life, constant: false, span })
            }
        };
        self.b.emit(ItemKind::Declare { object });
        self.bind(node.id, Binding::Object(object));
        self.declare_companion(object);
        Ok(())
    }

    /// A local array.
    pub fn array_object(&mut self, name: String, ty: &CType, node: &'a Node<'a>) -> Result<ObjectId> {
        let (elem, shape) = self.shape(ty, node)?;
        let (life, span) = (Life::Region(self.b.region()), self.span(node));
        let constant = false;
        Ok(self.b.object(Object { name, elem, shape, life, constant, span }))
    }

    /// Element and dimensions of an array.
    pub fn shape(&mut self, ty: &CType, node: &'a Node<'a>) -> Result<(Type, Vec<Dim>)> {
        let mut shape = Vec::new();
        let mut ty = ty;
        while let CType::Array(elem, extent) = ty {
            shape.push(self.dim(extent, node)?);
            ty = &elem.ty;
        }
        if let CType::Opaque(name) = ty {
            let name = name.clone();
            return self.refuse(
                node,
                Class::Type,
                format!("an array of '{name}'"),
                "use an array of numbers or structs",
            );
        }
        Ok((ty.ir(), shape))
    }

    /// Makes the variables of a struct that is kept as scalars.
    pub fn predeclare_split(&mut self, node: &'a Node<'a>, id: StructId) -> Result<Binding> {
        let binding = self.split(node, id, &node.name)?;
        self.bind(node.id, binding.clone());
        Ok(binding)
    }

    /// Variables for the members of a struct.
    fn split(&mut self, node: &'a Node<'a>, id: StructId, prefix: &str) -> Result<Binding> {
        if self.reader.structs.types.structs[id].shared {
            let what = format!("'{}' has pointers in a union, which share memory", node.name);
            return self.refuse(node, Class::Type, what, "read them behind a pointer to it, or use a struct");
        }
        let fields = self.reader.structs.types.structs[id].fields.clone();
        let span = self.span(node);
        let mut members = Vec::new();
        for field in fields {
            let name = format!("{prefix}_{}", field.name);
            members.push(match field.ty {
                Type::Struct(inner) if !self.is_view(inner) => self.split(node, inner, &name)?,
                Type::Array(_) | Type::Struct(_) => {
                    let (mut shape, mut elem) = (Vec::new(), field.ty);
                    while let Type::Array(row) = elem {
                        shape.push(Dim::from(row.extent.map(place::extent_constant)));
                        elem = row.elem.clone();
                    }
                    let (name, life) = (self.unique(&name), Life::Region(self.b.region()));
                    let object = self.b.object(Object { name, elem, shape, life, constant: false, span });
                    self.b.emit(ItemKind::Declare { object });
                    Binding::Object(object)
                }
                Type::Int { .. } | Type::Float { .. } | Type::Pointer(_) => {
                    let name = self.unique(&name);
                    let var = self.b.var(&name, field.ty, VarKind::Temporary, span);
                    self.b.forget(var);
                    Binding::Var(var)
                }
                _ => {
                    return self.refuse(
                        node,
                        Class::Type,
                        format!("'{}' has a member '{}' of a kind that is not supported", node.name, field.name),
                        "use members of type float, double, integer, pointer, array or struct",
                    );
                }
            });
        }
        Ok(Binding::Split(id, members))
    }

    fn local_static(&mut self, node: &'a Node<'a>) -> Result<()> {
        // `f_b` and the like are names of sweeps and of their arguments.
        let end = if matches!(node.name.as_ref(), "b" | "d" | "fwd" | "rev") { "_static" } else { "" };
        let mut name = format!("{}_{}{end}", self.b.proc().name, node.name);
        while self.reader.sources.list.iter().any(|source| mentions(&source.text, &name)) {
            name += "_static";
        }
        let binding = self.global_object(node, &name, Some(self.unit))?;
        if let Binding::Global(global) = binding {
            let (function, span) = (self.b.proc().name.clone(), self.span(node));
            let variable = Some((node.name.to_string(), global));
            let initial = self.static_number(node);
            self.reader.statics.push(Declared { function, variable, initial, span });
        }
        self.bind(node.id, binding);
        Ok(())
    }

    /// The number that a variable with static storage begins with: 0 without an initialiser.
    fn static_number(&mut self, node: &'a Node<'a>) -> Option<f64> {
        match node.inner.last().filter(|_| node.has_init) {
            Some(init) => self.value(init).ok()?.literal(),
            None => Some(0.0),
        }
    }

    /// A variable at file scope.
    pub fn global(&mut self, node: &'a Node<'a>) -> Result<Binding> {
        let unit = &self.reader.units[self.unit];
        let Some(named) = unit.variables.get(&node.refers).copied() else { return self.unknown(node) };
        if matches!(named.name.as_ref(), "stdin" | "stdout" | "stderr") {
            return Ok(Binding::Stream(named.name.to_string()));
        }
        let (definition, unit) = self.defined(named);
        let binding = self.global_object(definition, &named.name, unit)?;
        self.bind(node.refers, binding.clone());
        Ok(binding)
    }

    /// The declaration that defines a variable at file scope, and its unit if no other one sees it.
    pub fn defined(&self, named: &'a Node<'a>) -> (&'a Node<'a>, Option<usize>) {
        let definition = self.reader.units[self.unit].definitions.get(named.name.as_ref()).copied();
        (definition.unwrap_or(named), (named.storage == "static").then_some(self.unit))
    }

    /// A variable at file scope that a function declares: the generated file declares it at file scope.
    fn local_extern(&mut self, node: &'a Node<'a>) -> Result<()> {
        self.declare_outside(node);
        self.reader.units[self.unit].variables.insert(node.id, node);
        Ok(())
    }

    /// Lets the generated file declare at file scope what a function declares.
    fn declare_outside(&mut self, node: &'a Node<'a>) {
        let span = self.span(node);
        let text = self.reader.sources.text(span.source as usize, span.start, span.end).to_string();
        if !self.reader.externs.contains(&text) {
            self.reader.externs.push(text);
        }
    }

    /// The memory of a constant at file scope whose address is taken.
    pub fn constant_memory(&mut self, node: &'a Node<'a>) -> Result<Option<Place>> {
        let unit = &self.reader.units[self.unit];
        let Some(named) = unit.variables.get(&node.refers).copied() else { return Ok(None) };
        let (definition, unit) = self.defined(named);
        let binding = self.object_in_memory(definition, &named.name, unit)?;
        let Binding::Global(global) = binding else { return Ok(None) };
        Ok(Some(Place { base: Base::Global(global), path: Vec::new(), ty: self.ir_type(node) }))
    }

    /// `errno`, a variable that programs may write and not read.
    pub fn errno(&mut self, node: &'a Node<'a>) -> Binding {
        let key = (None, ERRNO.to_string());
        let number = self.reader.global_numbers.get(&key).copied().unwrap_or_else(|| {
            let span = self.span(node);
            let (name, elem, shape) = (ERRNO.to_string(), Type::int(), Vec::new());
            self.reader.globals.push(Object { name, elem, shape, life: Life::Global, constant: false, span });
            GlobalId::new(self.reader.globals.len() - 1)
        });
        self.reader.global_numbers.insert(key, number);
        Binding::Global(number)
    }

    /// Whether a place is [`Lower::errno`].
    pub fn is_errno(&self, place: &Place) -> bool {
        matches!(place.base, Base::Global(global) if self.reader.globals[global.index()].name == ERRNO)
    }

    /// Whether a place is a variable whose writes need no order.
    pub fn is_scratch(&self, place: &Place) -> bool {
        let name = |global: GlobalId| &self.reader.globals[global.index()].name;
        matches!(place.base, Base::Global(global) if self.reader.scratch.contains(name(global)))
    }

    /// Whether a place is the sign that `lgamma` of the C library writes: the sources do not define it.
    pub fn is_signgam(&self, place: &Place) -> bool {
        let name = "signgam";
        let defined = self.reader.units.iter().any(|unit| unit.definitions.contains_key(name));
        matches!(place.base, Base::Global(global) if self.reader.globals[global.index()].name == name) && !defined
    }

    pub fn global_object(&mut self, node: &'a Node<'a>, name: &str, unit: Option<usize>) -> Result<Binding> {
        let found = self.ctype(node);
        if found.is_volatile() {
            return self.refuse(node, Class::Type, format!("'{}' is volatile", node.name), "remove volatile");
        }
        if found.is_constant()
            && let (CType::Int { .. }, Some(init)) = (&found.ty, node.inner.last().filter(|_| node.has_init))
            && let Ok(Some(value)) = self.value(init).map(|value| known(&value))
        {
            return Ok(Binding::Constant(value));
        }
        self.object_in_memory(node, name, unit)
    }

    pub fn object_in_memory(&mut self, node: &'a Node<'a>, name: &str, unit: Option<usize>) -> Result<Binding> {
        let found = self.ctype(node);
        let constant = found.is_constant();
        let key = (unit, name.to_string());
        if let Some(number) = self.reader.global_numbers.get(&key) {
            return Ok(Binding::Global(*number));
        }
        let (elem, shape) = match &found.ty {
            CType::Array(_, Extent::Text(_)) => return self.unknown(node),
            ty @ CType::Array(..) => self.shape(ty, node)?,
            CType::Opaque(name) => {
                let (what, help) = self.opaque(name);
                return self.refuse(node, Class::Type, format!("'{}' {what}", node.name), help);
            }
            ty => (ty.ir(), Vec::new()),
        };
        if self.reader.globals.iter().any(|global| global.name == name) {
            // Sources that are read from stored trees alone.
            let what = format!("two sources have a static variable '{name}'");
            return self.refuse(node, Class::Language, what, "pass the sources instead of their syntax trees");
        }
        let (number, name) = (GlobalId::new(self.reader.globals.len()), name.to_string());
        let span = self.span(node);
        // An initialiser can only take addresses of variables.
        let names_another = |init: &&Node| scan::any(init, &|part| part.refers_kind == "VarDecl");
        if node.has_init && self.holds_pointer(&elem) && node.inner.last().is_some_and(|init| names_another(&init)) {
            self.reader.led.push(number);
        }
        self.reader.globals.push(Object { name, elem, shape, life: Life::Global, constant, span });
        self.reader.global_numbers.insert(key, number);
        Ok(Binding::Global(number))
    }
}

/// Whether a name is a word of a text.
fn mentions(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word))
}

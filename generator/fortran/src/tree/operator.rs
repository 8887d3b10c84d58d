//! Operators.

/// An operator with one operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unary {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `.not.`
    Not,
    /// `.name.`
    Defined(Box<str>),
}

/// An operator with two operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Binary {
    /// `**`
    Power,
    /// `*`
    Times,
    /// `/`
    Divide,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `//`
    Concat,
    /// `==`, `.eq.`
    Equal,
    /// `/=`, `.ne.`
    NotEqual,
    /// `<`, `.lt.`
    Less,
    /// `<=`, `.le.`
    LessEqual,
    /// `>`, `.gt.`
    Greater,
    /// `>=`, `.ge.`
    GreaterEqual,
    /// `.and.`
    And,
    /// `.or.`
    Or,
    /// `.eqv.`
    Eqv,
    /// `.neqv.`, `.xor.`
    Neqv,
    /// `.name.`
    Defined(Box<str>),
}

impl Unary {
    /// The operator as it is written.
    pub fn text(&self) -> String {
        match self {
            Unary::Plus => "+".to_owned(),
            Unary::Minus => "-".to_owned(),
            Unary::Not => ".not.".to_owned(),
            Unary::Defined(name) => format!(".{name}."),
        }
    }
}

impl Binary {
    /// The operator as it is written.
    pub fn text(&self) -> String {
        let text = match self {
            Binary::Power => "**",
            Binary::Times => "*",
            Binary::Divide => "/",
            Binary::Plus => "+",
            Binary::Minus => "-",
            Binary::Concat => "//",
            Binary::Equal => "==",
            Binary::NotEqual => "/=",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterEqual => ">=",
            Binary::And => ".and.",
            Binary::Or => ".or.",
            Binary::Eqv => ".eqv.",
            Binary::Neqv => ".neqv.",
            Binary::Defined(name) => return format!(".{name}."),
        };
        text.to_owned()
    }
}

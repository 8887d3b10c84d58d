//! What a statement is.

use super::cursor::Cursor;
use crate::form::{Kind, Statement};
use crate::lex::{Sign, Tokens, tokens};
use crate::message::Message;

/// What a statement is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// `a = b`
    Assign,
    /// `a => b`
    PointTo,
    /// It begins with a keyword, behind the name of a construct if there is one.
    Keyword(Keyword),
    /// Its text is the format.
    Format,
    /// A directive.
    Directive,
    /// A label alone.
    Empty,
    /// It cannot be split into tokens; a message says why.
    Unread,
    /// Nothing that is known.
    Unknown,
}

/// A statement with its tokens.
pub struct Line {
    /// Its tokens.
    pub tokens: Tokens,
    /// What it is.
    pub class: Class,
}

macro_rules! keywords {
    ($($name:ident $text:literal,)*) => {
        /// Words that begin a statement.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Keyword {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        const KEYWORDS: &[(Keyword, &str)] = &[$((Keyword::$name, $text),)*];
    };
}

keywords! {
    AbstractInterface "abstractinterface", Allocatable "allocatable", Allocate "allocate", Assign "assign",
    Associate "associate", Asynchronous "asynchronous", Automatic "automatic", Backspace "backspace", Bind "bind",
    BlockData "blockdata", Block "block", Byte "byte", Call "call", Case "case", ChangeTeam "changeteam",
    Character "character", ClassDefault "classdefault", ClassIs "classis", Class "class", Close "close",
    Codimension "codimension", Common "common", Complex "complex", Contains "contains", Contiguous "contiguous",
    Continue "continue", Critical "critical", Cycle "cycle", Data "data", Deallocate "deallocate",
    Dimension "dimension", Do "do", DoubleComplex "doublecomplex", DoublePrecision "doubleprecision",
    Elemental "elemental", ElseIf "elseif", ElseWhere "elsewhere", Else "else", EndAssociate "endassociate",
    EndBlockData "endblockdata", EndBlock "endblock", EndCritical "endcritical", EndDo "enddo", EndEnum "endenum",
    EndFile "endfile", EndForall "endforall", EndFunction "endfunction", EndIf "endif", EndInterface "endinterface",
    EndModule "endmodule", EndProcedure "endprocedure", EndProgram "endprogram", EndSelect "endselect",
    EndSubmodule "endsubmodule", EndSubroutine "endsubroutine", EndTeam "endteam", EndType "endtype",
    EndWhere "endwhere", End "end", Entry "entry", Enumerator "enumerator", Enum "enum", Equivalence "equivalence",
    ErrorStop "errorstop", EventPost "eventpost", EventWait "eventwait", Exit "exit", External "external",
    FailImage "failimage", Final "final", Flush "flush", Forall "forall", FormTeam "formteam", Function "function",
    Generic "generic", GoTo "goto", If "if", Implicit "implicit", Import "import", Impure "impure",
    Include "include", Inquire "inquire", Integer "integer", Intent "intent", Interface "interface",
    Intrinsic "intrinsic", Lock "lock", Logical "logical", Module "module", Namelist "namelist",
    NonRecursive "non_recursive", Nullify "nullify", Open "open", Optional "optional", Parameter "parameter",
    Pause "pause", Pointer "pointer", Print "print", Private "private", Procedure "procedure", Program "program",
    Protected "protected", Public "public", Pure "pure", RankDefault "rankdefault", Rank "rank", Read "read",
    Real "real", Recursive "recursive", Return "return", Rewind "rewind", Save "save", SelectCase "selectcase",
    SelectRank "selectrank", SelectType "selecttype", Sequence "sequence", Static "static", Stop "stop",
    Structure "structure", Submodule "submodule", Subroutine "subroutine", SyncAll "syncall",
    SyncImages "syncimages", SyncMemory "syncmemory", SyncTeam "syncteam", Target "target", TypeIs "typeis",
    Type "type", Unlock "unlock", Use "use", Value "value", Volatile "volatile", Wait "wait", Where "where",
    Write "write",
}

/// Splits statements into tokens and says what each is.
pub fn lines(statements: &[Statement]) -> (Vec<Line>, Vec<Message>) {
    let mut faults = Vec::new();
    let line = |statement: &Statement| {
        if matches!(statement.kind, Kind::Directive(_)) {
            return Line { tokens: Tokens::default(), class: Class::Directive };
        }
        if statement.label.is_some() && is_format(&statement.text) {
            return Line { tokens: Tokens::default(), class: Class::Format };
        }
        match tokens(statement) {
            Ok(tokens) => {
                let class = class(Cursor::new(statement, &tokens));
                Line { tokens, class }
            }
            Err(fault) => {
                faults.push(Message::new(statement.span(fault.raw.0, fault.raw.1), fault.text));
                Line { tokens: Tokens::default(), class: Class::Unread }
            }
        }
    };
    (statements.iter().map(line).collect(), faults)
}

/// Whether a labelled statement is a FORMAT statement.
fn is_format(text: &str) -> bool {
    let mut letters = text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase());
    "format(".chars().all(|expected| letters.next() == Some(expected)) && text.trim_end().ends_with(')')
}

/// Says what the statement is that begins at a cursor.
pub fn class(mut cursor: Cursor) -> Class {
    if cursor.is_done() {
        return Class::Empty;
    }
    if let Some(class) = assignment(cursor) {
        return class;
    }
    eat_construct_name(&mut cursor);
    keyword(cursor).map_or(Class::Unknown, Class::Keyword)
}

/// Takes the name of a construct and its colon.
pub fn eat_construct_name(cursor: &mut Cursor) {
    if cursor.peek_name().is_some() && cursor.second_at(Sign::Colon) {
        let mut behind = *cursor;
        behind.advance();
        if !behind.eat_colons() {
            cursor.advance();
            cursor.advance();
        }
    }
}

/// Whether a statement is an assignment: a designator, then `=` or `=>`. In fixed form `do10i = 1, 5` is a loop.
fn assignment(start: Cursor) -> Option<Class> {
    let mut cursor = start;
    let first = cursor.peek_name()?;
    cursor.advance();
    loop {
        while cursor.at(Sign::Open) || cursor.at(Sign::OpenBracket) {
            if !cursor.skip_brackets() {
                return None;
            }
        }
        if !cursor.eat(Sign::Percent) {
            break;
        }
        cursor.peek_name()?;
        cursor.advance();
    }
    if cursor.at(Sign::Points) {
        return Some(Class::PointTo);
    }
    if !cursor.at(Sign::Assign) {
        return None;
    }
    let is_loop = first.starts_with("do") && first.len() > 2 && cursor.has_outside(|next| next.at(Sign::Comma));
    (!is_loop).then_some(Class::Assign)
}

/// The longest keyword that a statement begins with.
fn keyword(cursor: Cursor) -> Option<Keyword> {
    let first = cursor.peek_name()?.bytes().next()?;
    let mut best: Option<(Keyword, &str)> = None;
    for (keyword, text) in KEYWORDS {
        let longer = best.is_none_or(|(_, known)| known.len() < text.len());
        if text.as_bytes()[0] == first && longer && begins(cursor, *keyword, text) {
            best = Some((*keyword, text));
        }
    }
    best.map(|(keyword, _)| keyword)
}

/// Whether a keyword begins a statement and what follows may follow it.
fn begins(cursor: Cursor, keyword: Keyword, text: &str) -> bool {
    let mut behind = cursor;
    behind.keyword(text)
        && match keyword {
            Keyword::TypeIs | Keyword::ClassIs | Keyword::Rank => behind.at(Sign::Open),
            Keyword::End | Keyword::ClassDefault | Keyword::RankDefault => {
                keyword != Keyword::End || behind.is_done() || behind.peek_name().is_some()
            }
            _ => true,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::statements;
    use crate::source::{Form, Source};

    fn classes(text: &str, form: Form) -> Vec<Class> {
        let source = Source::of_text("m", text, form, &mut |_, _| None);
        lines(&statements(&source, form).statements).0.into_iter().map(|line| line.class).collect()
    }

    #[test]
    fn keywords_are_not_reserved() {
        for text in [
            "if = 3",
            "if (x) = 3",
            "end = 2",
            "do(3) = 4",
            "real(8)%x = 5",
            "where(i) = 1",
            "format(x) = 2",
            "data = 3",
            "type(3) = 4",
            "call%call(call) = call",
            "x[3] = 1",
            "print(i)(1:2) = 'ab'",
        ] {
            assert_eq!(classes(text, Form::Free), [Class::Assign], "{text}");
        }
        for (text, keyword) in [
            ("if (x) y = 3", Keyword::If),
            ("go to 10", Keyword::GoTo),
            ("else if (x) then", Keyword::ElseIf),
            ("a: do i = 1, n", Keyword::Do),
            ("real(8) :: x = 3", Keyword::Real),
            ("end file 3", Keyword::EndFile),
            ("type is (real)", Keyword::TypeIs),
            ("type isotope", Keyword::Type),
            ("parameter (a = 1)", Keyword::Parameter),
            ("end", Keyword::End),
        ] {
            assert_eq!(classes(text, Form::Free), [Class::Keyword(keyword)], "{text}");
        }
    }

    #[test]
    fn keywords_run_into_names_in_fixed_form() {
        let fixed = Form::Fixed { columns: 72 };
        for (text, class) in [
            ("DO 10 I = 1.5", Class::Assign),
            ("DO 10 I = 1, 5", Class::Keyword(Keyword::Do)),
            ("DO10I=A(1,2)", Class::Assign),
            ("GO TO 10", Class::Keyword(Keyword::GoTo)),
            ("GOTOX", Class::Keyword(Keyword::GoTo)),
            ("DOUBLE PRECISION X", Class::Keyword(Keyword::DoublePrecision)),
            ("E N D I F", Class::Keyword(Keyword::EndIf)),
            ("ENDX = 1", Class::Assign),
            ("TYPE ISOTOPE", Class::Keyword(Keyword::Type)),
        ] {
            assert_eq!(classes(&format!("      {text}\n"), fixed), [class], "{text}");
        }
    }
}

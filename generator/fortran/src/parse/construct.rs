//! Constructs: statements with blocks in them.

use super::cursor::{Cursor, Parsed};
use super::keyword::{Class, Keyword, eat_construct_name};
use super::parser::{Open, Parser};
use crate::form::Label;
use crate::lex::Sign;
use crate::source::Span;
use crate::tree::declaration::Entity;
use crate::tree::expression::{Argument, Expr, Ident};
use crate::tree::header::End;
use crate::tree::statement::{Action, Arm, Block, Guard, Select, SelectArm, Selector, Statement};

/// A construct and the statement that ends it.
pub type Constructed = (Action, Option<End>);

/// What begins with IF.
enum IfHeader {
    Construct(Expr),
    Sign(Expr, [Label; 3]),
    Action(Expr, Box<Statement>),
}

/// What begins with WHERE or FORALL: its head, and an action behind it.
pub type Headed<H> = (H, Option<Box<Statement>>);

impl<'a> Cursor<'a> {
    /// Goes behind the name of a construct and the keyword.
    pub fn begin_construct(&mut self, word: &str) {
        eat_construct_name(self);
        self.keyword(word);
    }

    /// Takes `(a)`.
    pub fn condition(&mut self) -> Parsed<Expr> {
        self.expect(Sign::Open)?;
        let condition = self.expression()?;
        self.expect(Sign::Close)?;
        Ok(condition)
    }

    fn if_header(&mut self) -> Parsed<IfHeader> {
        self.begin_construct("if");
        let condition = self.condition()?;
        let mut behind = *self;
        if behind.keyword("then") && behind.is_done() {
            return Ok(IfHeader::Construct(condition));
        }
        if let Some(labels) = self.sign_labels()? {
            self.end()?;
            return Ok(IfHeader::Sign(condition, labels));
        }
        Ok(IfHeader::Action(condition, self.action_statement()?))
    }

    /// Takes the action behind a condition.
    pub fn action_statement(&mut self) -> Parsed<Box<Statement>> {
        let start = self.span();
        let action = self.action()?;
        Ok(Box::new(Statement { label: None, name: None, action, span: self.span_from(start), end: None }))
    }

    fn else_if(&mut self) -> Parsed<Option<Expr>> {
        if !self.keyword("elseif") {
            self.keyword("else");
            return Ok(None);
        }
        let condition = self.condition()?;
        if self.keyword("then") { Ok(Some(condition)) } else { Err(self.fault("`then` is missing")) }
    }

    fn else_where(&mut self) -> Parsed<Option<Expr>> {
        self.keyword("elsewhere");
        if self.at(Sign::Open) { Ok(Some(self.condition()?)) } else { Ok(None) }
    }

    fn where_header(&mut self) -> Parsed<Headed<Expr>> {
        self.begin_construct("where");
        let mask = self.condition()?;
        let action = if self.is_done() { None } else { Some(self.action_statement()?) };
        Ok((mask, action))
    }

    fn associations(&mut self) -> Parsed<Vec<(Ident, Expr)>> {
        self.begin_construct("associate");
        self.expect(Sign::Open)?;
        let pairs = self.list(|cursor| {
            let name = cursor.name()?;
            cursor.expect(Sign::Points)?;
            Ok((name, cursor.expression()?))
        })?;
        self.expect(Sign::Close)?;
        self.end()?;
        Ok(pairs)
    }

    fn selector(&mut self, word: &str) -> Parsed<(Option<Ident>, Expr)> {
        self.begin_construct(word);
        self.expect(Sign::Open)?;
        let named = self.peek_name().is_some() && self.second_at(Sign::Points);
        let name = if named { self.eat_name() } else { None };
        if named {
            self.expect(Sign::Points)?;
        }
        let selector = self.expression()?;
        self.expect(Sign::Close)?;
        self.end()?;
        Ok((name, selector))
    }

    fn guard(&mut self, keyword: Keyword) -> Parsed<Guard> {
        let guard = match keyword {
            Keyword::TypeIs | Keyword::ClassIs => {
                let is_type = self.keyword("typeis");
                if !is_type {
                    self.keyword("classis");
                }
                self.expect(Sign::Open)?;
                let spec = self.type_name()?;
                self.expect(Sign::Close)?;
                if is_type { Guard::TypeIs(spec) } else { Guard::ClassIs(spec) }
            }
            Keyword::ClassDefault => {
                self.keyword("classdefault");
                Guard::Default
            }
            _ => {
                if !self.keyword("case") {
                    self.keyword("rank");
                }
                if self.keyword("default") { Guard::Default } else { Guard::Values(self.arguments()?) }
            }
        };
        self.eat_name();
        self.end()?;
        Ok(guard)
    }

    fn team(&mut self) -> Parsed<(Expr, Vec<Entity>, Vec<Argument>)> {
        self.begin_construct("changeteam");
        self.expect(Sign::Open)?;
        let team = self.expression()?;
        let (mut entities, mut arguments) = (Vec::new(), Vec::new());
        while self.eat(Sign::Comma) {
            if self.second_at(Sign::OpenBracket) {
                entities.push(self.entity()?);
            } else {
                arguments.push(self.argument()?);
            }
        }
        self.expect(Sign::Close)?;
        self.end()?;
        Ok((team, entities, arguments))
    }

    fn optional_arguments(&mut self, word: &str) -> Parsed<Vec<Argument>> {
        self.begin_construct(word);
        let arguments = if self.at(Sign::Open) { self.arguments()? } else { Vec::new() };
        self.end()?;
        Ok(arguments)
    }
}

impl<'a> Parser<'a> {
    /// Reads a construct up to its end; none if the keyword begins no construct.
    pub fn construct(&mut self, keyword: Keyword, name: Option<&Ident>) -> Option<Constructed> {
        Some(match keyword {
            Keyword::If => self.if_construct(name),
            Keyword::Do => self.do_construct(name),
            Keyword::SelectCase => self.select("selectcase", Selector::Value, name),
            Keyword::SelectType => self.select("selecttype", Selector::Type, name),
            Keyword::SelectRank => self.select("selectrank", Selector::Rank, name),
            Keyword::Where => self.where_construct(name),
            Keyword::Forall => self.forall(name),
            Keyword::Associate => {
                let pairs = self.cursor().associations();
                let pairs = self.opened(pairs).unwrap_or_default();
                let (block, end) = self.body(Open::Associate, Keyword::EndAssociate, name);
                (Action::Associate(pairs, block), end)
            }
            Keyword::Block => {
                self.advance();
                let declarations = self.declarations();
                let (block, end) = self.body(Open::Block, Keyword::EndBlock, name);
                (Action::Block(declarations, block), end)
            }
            Keyword::Critical => {
                let arguments = self.cursor().optional_arguments("critical");
                let arguments = self.opened(arguments).unwrap_or_default();
                let (block, end) = self.body(Open::Critical, Keyword::EndCritical, name);
                (Action::Critical(arguments, block), end)
            }
            Keyword::ChangeTeam => {
                let head = self.cursor().team();
                let head = self.opened(head);
                let (block, end) = self.body(Open::Team, Keyword::EndTeam, name);
                let team = |(team, entities, arguments)| Action::Team(team, entities, arguments, block);
                (head.map_or(Action::Unread, team), end)
            }
            _ => return None,
        })
    }

    /// Goes on behind the first statement of a construct: what was read of it, or none with a message.
    pub fn opened<T>(&mut self, parsed: Parsed<T>) -> Option<T> {
        let value = self.reported(parsed);
        self.advance();
        value
    }

    /// Reads the block of a construct and its end.
    pub fn body(&mut self, open: Open, end: Keyword, name: Option<&Ident>) -> (Block, Option<End>) {
        let start = self.span();
        self.open.push(open);
        let block = self.block();
        self.open.pop();
        (block, self.construct_end(end, start, name))
    }

    /// Takes the statement that ends a construct.
    pub fn construct_end(&mut self, end: Keyword, start: Span, name: Option<&Ident>) -> Option<End> {
        let span = self.span();
        if self.class() != Some(Class::Keyword(end)) || self.ended.is_some() {
            self.report(start, format!("the construct that begins here lacks its {}", end_text(end)));
            return None;
        }
        let found = End { label: self.label(), span };
        let mut cursor = self.cursor();
        cursor.keyword(&end_text(end).to_ascii_lowercase().replace(' ', ""));
        let other = cursor.eat_name();
        match (name.map(|name| &*name.name), other.as_ref().map(|name| &*name.name)) {
            (Some(name), Some(other)) if name != other => {
                self.report(span, format!("this should end {name}, not {other}"));
            }
            (None, Some(other)) => self.report(span, format!("the construct that begins above has no name {other}")),
            _ => {}
        }
        self.advance();
        Some(found)
    }

    fn if_construct(&mut self, name: Option<&Ident>) -> Constructed {
        let start = self.span();
        let header = self.cursor().if_header();
        let opens = ends_with_then(self.statement().map_or("", |statement| &statement.text));
        if header.is_err() {
            self.lose(opens);
        }
        let condition = match self.opened(header) {
            None => return (Action::Unread, None),
            Some(IfHeader::Sign(value, labels)) => return (Action::IfSign(value, labels), None),
            Some(IfHeader::Action(condition, action)) => return (Action::IfAction(condition, action), None),
            Some(IfHeader::Construct(condition)) => condition,
        };
        self.open.push(Open::If);
        let mut arms = vec![Arm { condition: Some(condition), block: self.block(), span: start }];
        while self.ended.is_none() && matches!(self.class(), Some(Class::Keyword(Keyword::Else | Keyword::ElseIf))) {
            let span = self.span();
            let condition = self.cursor().else_if();
            let condition = self.opened(condition).flatten();
            arms.push(Arm { condition, block: self.block(), span });
        }
        self.open.pop();
        let end = self.construct_end(Keyword::EndIf, start, name);
        (Action::If(arms), end)
    }

    fn where_construct(&mut self, name: Option<&Ident>) -> Constructed {
        let start = self.span();
        let header = self.cursor().where_header();
        let mask = match self.opened(header) {
            None => return (Action::Unread, None),
            Some((mask, Some(action))) => return (Action::WhereAction(mask, action), None),
            Some((mask, None)) => mask,
        };
        self.open.push(Open::Where);
        let mut arms = vec![Arm { condition: Some(mask), block: self.block(), span: start }];
        while matches!(self.class(), Some(Class::Keyword(Keyword::ElseWhere))) {
            let span = self.span();
            let mask = self.cursor().else_where();
            let condition = self.opened(mask).flatten();
            arms.push(Arm { condition, block: self.block(), span });
        }
        self.open.pop();
        let end = self.construct_end(Keyword::EndWhere, start, name);
        (Action::Where(arms), end)
    }

    fn select(&mut self, word: &str, by: Selector, construct: Option<&Ident>) -> Constructed {
        let start = self.span();
        let header = self.cursor().selector(word);
        if header.is_err() {
            self.lose(true);
        }
        let Some((name, selector)) = self.opened(header) else { return (Action::Unread, None) };
        self.open.push(Open::Select);
        // Directives may stand in front of the first arm, nothing else.
        let before = self.block();
        if let Some(first) = before.iter().find(|statement| !matches!(statement.action, Action::Declaration(_))) {
            self.report(first.span, "a statement in front of the first arm is never reached");
        }
        let mut arms = Vec::new();
        while let Some(Class::Keyword(keyword)) = self.class()
            && self.ended.is_none()
            && is_guard(keyword)
        {
            let span = self.span();
            let guard = self.cursor().guard(keyword);
            let guard = self.opened(guard).unwrap_or(Guard::Values(Vec::new()));
            arms.push(SelectArm { guard, block: self.block(), span });
        }
        self.open.pop();
        let end = self.construct_end(Keyword::EndSelect, start, construct);
        (Action::Select(Select { by, name, selector, arms }), end)
    }
}

fn is_guard(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(keyword, K::Case | K::TypeIs | K::ClassIs | K::ClassDefault | K::Rank | K::RankDefault)
}

fn ends_with_then(text: &str) -> bool {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    text.to_ascii_lowercase().ends_with("then")
}

fn end_text(end: Keyword) -> &'static str {
    match end {
        Keyword::EndIf => "END IF",
        Keyword::EndDo => "END DO",
        Keyword::EndSelect => "END SELECT",
        Keyword::EndWhere => "END WHERE",
        Keyword::EndForall => "END FORALL",
        Keyword::EndAssociate => "END ASSOCIATE",
        Keyword::EndBlock => "END BLOCK",
        Keyword::EndCritical => "END CRITICAL",
        Keyword::EndTeam => "END TEAM",
        _ => "END",
    }
}

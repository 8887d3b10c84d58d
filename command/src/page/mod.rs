//! Pages: templates, with one style, and nothing that is fetched from elsewhere.

use crate::pictures::theme;
use minijinja::{Environment, UndefinedBehavior, Value, context};

const TEMPLATES: [(&str, &str); 3] = [
    ("base.html", include_str!("base.html")),
    ("report.html", include_str!("report.html")),
    ("schedule.html", include_str!("schedule.html")),
];

/// A page of a template.
pub fn render(template: &str, values: Value) -> String {
    let mut pages = Environment::new();
    pages.set_undefined_behavior(UndefinedBehavior::Strict);
    pages.set_trim_blocks(true);
    pages.set_lstrip_blocks(true);
    let rules = Value::from_safe_string(theme::dark_rules());
    let values = context! { dark_rules => rules, ..values };
    let rendered = TEMPLATES
        .iter()
        .try_for_each(|(name, text)| pages.add_template(name, text))
        .and_then(|()| pages.get_template(template)?.render(values));
    rendered.unwrap_or_else(|error| unreachable!("a template that is wrong: {error:#}"))
}

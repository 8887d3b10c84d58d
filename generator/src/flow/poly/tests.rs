use super::*;

fn v(k: u32) -> Poly {
    Poly::value(ProcId(0), ValueId(k), false)
}

#[test]
fn products_of_facts_prove_a_row_inside_of_a_matrix() {
    // 0 <= i < m, 0 <= j < n gives i n + j < m n, and not i n + j < m n - 1.
    let (i, j, m, n) = (v(0), v(1), v(2), v(3));
    let mut facts = Facts::default();
    for p in [i.clone(), j.clone()] {
        facts.add(Some(p));
    }
    facts.add(m.sub(&i).and_then(|p| p.plus(-1)));
    facts.add(n.sub(&j).and_then(|p| p.plus(-1)));
    let index = i.mul(&n).and_then(|p| p.add(&j)).unwrap();
    let end = m.mul(&n).unwrap();
    assert!(facts.at_most(&index.plus(1).unwrap(), &end));
    assert!(!facts.at_most(&index.plus(2).unwrap(), &end));
    assert!(facts.nonneg(Some(index)));
}

#[test]
fn nothing_is_proved_without_facts() {
    assert!(!Facts::default().nonneg(Some(v(0))));
    assert!(!Facts::default().with(Some(v(0))).nonneg(v(0).plus(-1)));
    assert!(Facts::default().nonneg(Some(Poly::constant(0))));
    assert!(!Facts::default().nonneg(Some(Poly::constant(-1))));
    assert!(!Facts::default().nonneg(Poly::infinity().scale(-1)));
    assert!(Facts::default().nonneg(Some(Poly::value(ProcId(0), ValueId(1), true))));
}

#[test]
fn coefficients_that_grow_too_large_have_no_result() {
    let mut p = Poly::constant(1 << 99);
    assert_eq!(p.plus(1 << 99), None);
    p = v(0).scale(1 << 60).unwrap();
    assert_eq!(p.mul(&p), None);
}

#[test]
fn division_is_exact_or_absent() {
    let (a, b) = (v(0), v(1));
    let step = b.scale(2).unwrap();
    let range = a.mul(&step).unwrap();
    assert_eq!(range.divide(&step), Some(a.clone()));
    assert_eq!(range.plus(1).unwrap().divide(&step), None);
}

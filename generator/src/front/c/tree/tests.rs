use super::*;

#[test]
fn file_is_carried_to_positions_that_do_not_name_it() {
    let json = r#"{"id": "0x1", "kind": "TranslationUnitDecl", "loc": {}, "range": {"begin": {}, "end": {}}, "inner": [
        {"id": "0x2", "kind": "VarDecl", "loc": {"offset": 3, "file": "a.h", "line": 1, "col": 4, "tokLen": 1},
         "range": {"begin": {"offset": 0, "col": 1, "tokLen": 3},
                   "end": {"spellingLoc": {"offset": 9, "file": "b.h", "line": 7, "col": 1, "tokLen": 2},
                           "expansionLoc": {"offset": 5, "file": "a.h", "line": 1, "col": 6, "tokLen": 4}}},
         "name": "v"},
        {"id": "0x3", "kind": "VarDecl", "loc": {"offset": 30, "line": 2, "col": 4, "tokLen": 1}, "name": "w"}]}"#;
    let tree = parse(json).unwrap();
    let [v, w] = &tree.root.inner[..] else { panic!("two declarations") };
    assert_eq!(tree.files, ["a.h", "b.h"]);
    assert_eq!(v.begin.at, Pos { file: 0, offset: 0, length: 3 });
    assert_eq!(v.end.at, Pos { file: 0, offset: 5, length: 4 });
    assert_eq!(v.end.spelled, Some(Pos { file: 1, offset: 9, length: 2 }));
    assert_eq!(w.location.at, Pos { file: 0, offset: 30, length: 1 });
}

#[test]
fn absent_part_has_the_empty_kind() {
    let tree = parse(r#"{"id": "0x1", "kind": "ForStmt", "inner": [{}, {"id": "0x2", "kind": "NullStmt"}]}"#).unwrap();
    assert_eq!(tree.root.inner[0].kind, "");
    assert_eq!(tree.root.inner[1].kind, "NullStmt");
}

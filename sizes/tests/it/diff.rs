//! Comparisons of two builds, with answers by hand.

use crate::cli::sizes;
use crate::fixture::{As, Fixture, archive};
use object::Architecture;
use serde_json::Value;
use sizes::diff::{FileDiff, compare, pair_paths};
use sizes::measure_bytes;
use sizes::report::FileReport;
use sizes::view::select::{By, View};
use std::path::PathBuf;

/// An object with these functions one after the other in `.text`, and so many bytes of `.rodata` and `.bss`.
fn object(functions: &[(&str, u64)], rodata: usize, bss: usize) -> Vec<u8> {
    let mut f = Fixture::new(Architecture::Arm);
    let bytes: u64 = functions.iter().map(|(_, bytes)| bytes).sum();
    let text = f.text(".text", &vec![1; bytes as usize], 2);
    let mut at = 0;
    for (name, bytes) in functions {
        f.symbol(text, name, at + 1, *bytes, As::Function);
        at += bytes;
    }
    for (name, bytes, constant) in [("table", rodata, true), ("state", bss, false)] {
        if bytes > 0 {
            let section = if constant { f.rodata(".rodata", &vec![1; bytes], 1) } else { f.bss(".bss", bytes) };
            f.symbol(section, name, 0, bytes as u64, As::Data);
        }
    }
    f.write()
}

fn report(bytes: &[u8]) -> FileReport {
    measure_bytes("x.o", bytes).unwrap()
}

/// `change name base new` of each line, ROM then RAM.
fn lines(lines: &[sizes::diff::Line]) -> Vec<String> {
    let number = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
    let line = |line: &sizes::diff::Line| {
        let [rom, ram] = [line.total_bytes, line.ram_bytes].map(|f| format!("{}>{}", number(f.base), number(f.new)));
        format!("{:?} {} {rom} {ram}", line.change, line.name)
    };
    lines.iter().map(line).collect()
}

fn check(base: &[u8], new: &[u8], by: By, rows: &[&str], unchanged: usize) -> FileDiff {
    let diff = compare(&report(base), &report(new), &View { by, ..View::default() });
    assert_eq!(lines(&diff.symbols), rows);
    assert_eq!(diff.unchanged_symbols, unchanged);
    diff
}

#[test]
fn rows_and_sections_grow_shrink_come_and_go() {
    let base = object(&[("same", 6), ("grown", 4), ("shrunk", 20), ("gone", 8)], 8, 0);
    let new = object(&[("new", 2), ("grown", 14), ("same", 6), ("shrunk", 16)], 8, 64);
    let rows = [
        "Grown grown 4>14 0>0",
        "Removed gone 8>- 0>-",
        "Shrunk shrunk 20>16 0>0",
        "Added new ->2 ->0",
        "Added state ->0 ->64",
    ];
    let diff = check(&base, &new, By::Function, &rows, 2);
    assert_eq!(lines(&diff.sections), ["Added .bss ->0 ->64"]);
    assert_eq!(diff.unchanged_sections, 2);
    assert_eq!((diff.total_bytes.base, diff.total_bytes.new, diff.total_bytes.delta), (Some(46), Some(46), 0));
    assert_eq!((diff.ram_bytes.delta, diff.regions.len()), (64, 2));
    check(&base, &base, By::Function, &[], 5);
    check(&base, &new, By::Section, &["Added .bss ->0 ->64"], 2);
}

#[test]
fn a_hash_is_no_change_and_equal_names_are_matched_in_order() {
    let hash = |n: u8| format!("_ZN4core3ptr13drop_in_place17h{n:016x}E");
    let (a, b, c, d) = (hash(1), hash(2), hash(3), hash(4));
    let base = object(&[(&a, 10), (&b, 20)], 0, 0);
    // The same symbols first, whatever their order; then by size.
    check(&base, &object(&[(&b, 20), (&a, 12)], 0, 0), By::Function, &["Grown core::ptr::drop_in_place 10>12 0>0"], 1);
    check(&base, &object(&[(&c, 10), (&d, 20)], 0, 0), By::Function, &[], 2);
    check(&base, &object(&[(&c, 20)], 0, 0), By::Function, &["Removed core::ptr::drop_in_place 10>- 0>-"], 1);
    check(
        &base,
        &object(&[(&a, 10), (&b, 20), (&c, 2)], 0, 0),
        By::Function,
        &["Added core::ptr::drop_in_place ->2 ->0"],
        2,
    );
    check(&base, &object(&[(&a, 10), (&d, 25)], 0, 0), By::Crate, &["Grown core 30>35 0>0"], 0);
    let in_section = |n: u8| {
        let mut f = Fixture::new(Architecture::Arm);
        let text = f.text(&format!(".text.{}", hash(n)), &[1; 4], 2);
        f.symbol(text, &hash(n), 1, 4, As::Function);
        f.write()
    };
    check(&in_section(1), &in_section(2), By::Function, &[], 1);
}

#[test]
fn files_are_matched_by_name() {
    let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
    let folder = tempfile::tempdir().unwrap();
    let inside = format!("{}/new.o", folder.path().display());
    type Case<'a> = (&'a [&'a str], &'a [&'a str], Result<&'a [[&'a str; 2]], &'a str>);
    let cases: &[Case] = &[
        (&["old.o"], &["new.o"], Ok(&[["old.o", "new.o"]])),
        (&["a/x.o", "a/y.o"], &["b/y.o", "b/x.o"], Ok(&[["a/y.o", "b/y.o"], ["a/x.o", "b/x.o"]])),
        (&[folder.path().to_str().unwrap()], &["b/new.o"], Ok(&[[&inside, "b/new.o"]])),
        (&["old.o"], &["a.o", "b.o"], Err("a.o: nothing to compare it with")),
        (&["a/x.o"], &["b/x.o", "c/x.o"], Err("c/x.o: nothing to compare it with")),
        (&["a/x.o", "b/x.o"], &["c/x.o"], Err("--diff b/x.o: there is another file of this name")),
        (&["a/x.o", "b/y.o"], &["c/x.o"], Err("--diff b/y.o: no file of this name")),
    ];
    for (base, new, expected) in cases {
        match (pair_paths(&paths(base), &paths(new)), expected) {
            (Ok(pairs), Ok(expected)) => {
                let expected = expected.iter().map(|[base, new]| (base.into(), new.into())).collect::<Vec<_>>();
                assert_eq!(pairs, expected);
            }
            (Err(why), Err(expected)) => assert!(why.to_string().contains(expected), "{why}"),
            (got, _) => panic!("{base:?} {new:?}: {got:?}"),
        }
    }
}

#[test]
fn every_format_says_value_and_delta() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("old.o", &object(&[("f", 4), ("a,b", 8)], 0, 0));
    write("new.o", &object(&[("f", 14), ("g", 2)], 0, 0));
    let printed = |args: &[&str]| {
        let output = sizes(folder.path(), args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let table = "\
new.o compared with old.o
Change      ROM  Name
grown   16 (+4)  .text

Change        ROM  Section  Name
grown   14 (+10)  .text    f
removed   0 (-8)  .text    a,b
added     2 (+2)  .text    g

unchanged: 0 sections, 0 rows
ROM 16 (+4)
";
    let squeezed =
        |text: &str| text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>();
    assert_eq!(squeezed(&printed(&["new.o", "--diff", "old.o"])), squeezed(table));
    let cut = printed(&["new.o", "--diff", "old.o", "-n", "1"]);
    assert!(cut.contains("2 more changes (-6 bytes ROM)") && !cut.contains("a,b"), "{cut}");
    let csv = printed(&["new.o", "--diff", "old.o", "--format", "csv"]);
    let expected = [
        "file,base_file,kind,change,section,name,total_bytes,base_total_bytes,delta_total_bytes,ram_bytes,base_ram_bytes,\
         delta_ram_bytes,worst_bytes,base_worst_bytes,delta_worst_bytes,cycles,base_cycles,delta_cycles",
        "new.o,old.o,section,grown,,.text,16,12,4,0,0,0,,,,,,",
        "new.o,old.o,row,grown,.text,f,14,4,10,0,0,0,",
        "new.o,old.o,row,removed,.text,\"a,b\",,8,-8,,0,0,",
        "new.o,old.o,row,added,.text,g,2,,2,0,,0,",
    ];
    for (line, expected) in csv.lines().zip(expected) {
        assert!(line.starts_with(expected), "{line}");
    }
    let json: Value = serde_json::from_str(&printed(&["new.o", "--diff", "old.o", "--format", "json"])).unwrap();
    let first = &json["diffs"][0]["symbols"][0];
    assert_eq!(first["total_bytes"], serde_json::json!({"base": 4, "new": 14, "delta": 10}));
    assert_eq!((&first["change"], &first["name"]), (&"grown".into(), &"f".into()));
    let md = printed(&["new.o", "--diff", "old.o", "--format", "md"]);
    assert!(md.contains("| grown | 14 (+10) | `.text` | `f` |"), "{md}");
    let html = printed(&["new.o", "--diff", "old.o", "--format", "html"]);
    assert!(html.contains("<td class=\"n\">14 (+10)</td>"), "{html}");
    for (args, message) in [
        (&["new.o", "--diff", "old.o", "--format", "folded"][..], "--format folded cannot show a comparison"),
        (&["new.o", "--diff", "none.o"], "none.o: "),
        (&["new.o", "old.o", "--diff", "new.o"], "old.o: nothing to compare it with"),
    ] {
        let output = sizes(folder.path(), args);
        assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{args:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(message), "{args:?}");
    }
}

#[test]
fn members_of_archives_come_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let [f, g, h] = ["f", "g", "h"].map(|name| object(&[(name, 4)], 0, 0));
    write("old.a", &archive(&[("f.o", &f), ("g.o", &g)]));
    write("new.a", &archive(&[("h.o", &h), ("f.o", &f)]));
    let output = String::from_utf8(sizes(folder.path(), &["new.a", "--diff", "old.a"]).stdout).unwrap();
    for part in [
        "new.a(h.o): added\n",
        "old.a(g.o): removed\n",
        "new.a(f.o) compared with old.a(f.o)\nunchanged: 1 section, 1 row\n",
        "\nTOTAL ROM 8\n",
    ] {
        assert!(output.contains(part), "{part}: {output}");
    }
}

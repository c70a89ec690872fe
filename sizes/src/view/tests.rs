//! Every format of one model that is written by hand.

use super::select::{By, Sort, View};
use super::{Extras, Format, Listing, print};
use crate::report::{FileReport, Kernel, RegionTotal, Row, RowKind, SectionTotal, Stack, Unknown};
use regex_lite::Regex;

/// A row with code, literals, data, padding and RAM.
fn row(name: &str, section: &str, address: u64, [code, literal, data, padding, ram]: [u64; 5]) -> Row {
    Row {
        name: name.to_owned(),
        section: section.to_owned(),
        address,
        code_bytes: code,
        literal_bytes: literal,
        data_bytes: data,
        padding_bytes: padding,
        total_bytes: code + literal + data + padding,
        ram_bytes: ram,
        ..Row::default()
    }
}

fn file(name: &str, symbols: Vec<Row>, sections: &[(&str, u64, u64, u64)]) -> FileReport {
    let section = |&(name, address, bytes, ram_bytes): &(&str, u64, u64, u64)| SectionTotal {
        name: name.to_owned(),
        address,
        bytes,
        ram_bytes,
    };
    let (rom, ram) = (sections.iter().map(|s| s.2).sum(), sections.iter().map(|s| s.3).sum());
    let report = FileReport {
        file: name.to_owned(),
        symbols,
        sections: sections.iter().map(section).collect(),
        regions: [("ROM", rom), ("RAM", ram)]
            .map(|(name, bytes)| RegionTotal { name: name.to_owned(), bytes })
            .to_vec(),
        total_bytes: rom,
        ram_bytes: ram,
        ..FileReport::default()
    };
    report.check().unwrap();
    report
}

/// A firmware with all that a row can have, and names that every format has to quote.
fn firmware() -> FileReport {
    let block = Row {
        aliases: vec!["chacha".to_owned()],
        kind: RowKind::Function,
        family: Some("chacha20".to_owned()),
        constant_bytes: 64,
        stack: Some(Stack { frame_bytes: Some(48), worst_bytes: 48, unknown: Vec::new() }),
        kernel: Some(Kernel {
            kernel: "chacha20_block".to_owned(),
            target: "m4".to_owned(),
            shape: "unrolled".to_owned(),
            cycles: 1234,
            cycles_of: "one call".to_owned(),
            stack_bytes: 48,
        }),
        ..row("chacha20_block", ".text", 0x100, [600, 20, 0, 4, 0])
    };
    let call = Row {
        symbol: Some("_ZN4main4callE".to_owned()),
        kind: RowKind::Function,
        crate_name: Some("main".to_owned()),
        source: Some("main.rs".to_owned()),
        stack: Some(Stack {
            frame_bytes: Some(8),
            worst_bytes: 56,
            unknown: vec![Unknown::Indirect("main::call".to_owned()), Unknown::External("memcpy".to_owned())],
        }),
        ..row("main::call<[u8; 4], \"a\" | b>", ".text", 0x370, [60, 0, 0, 0, 0])
    };
    let table = Row {
        kind: RowKind::Data,
        used_by: Some("chacha20_block".to_owned()),
        ..row("table", ".rodata", 0x400, [0, 0, 64, 0, 0])
    };
    let count = Row { kind: RowKind::Data, ..row("count", ".data", 0x2000_0000, [0, 0, 8, 0, 8]) };
    let buffer = Row { kind: RowKind::Data, ..row("buffer", ".bss", 0x2000_0008, [0, 0, 0, 0, 512]) };
    let gap = row("[padding]", ".text", 0x3ac, [0, 0, 0, 4, 0]);
    file(
        "fw.elf",
        vec![block, table, call, count, gap, buffer],
        &[
            (".text", 0x100, 688, 0),
            (".rodata", 0x400, 64, 0),
            (".data", 0x2000_0000, 8, 8),
            (".bss", 0x2000_0008, 0, 512),
        ],
    )
}

fn object() -> FileReport {
    file("b.o", vec![row("f", ".text", 0, [52, 0, 0, 0, 0])], &[(".text", 0, 52, 0)])
}

/// With memories of a chip.
fn chip() -> FileReport {
    let mut report = object();
    let used = |(name, bytes): (&str, u64)| RegionTotal { name: name.to_owned(), bytes };
    report.regions.extend([("Flash Code", 40), ("IRAM", 12)].map(used));
    report
}

fn view() -> View {
    View::default()
}

fn filter(regex: &str) -> Option<Regex> {
    Some(Regex::new(regex).unwrap())
}

/// What is printed, byte by byte.
#[test]
fn every_format_prints_what_was_written_by_hand() {
    let (one, both) = ([firmware()], [firmware(), object()]);
    let three = View { rows_max: Some(3), ..view() };
    let cases: [(&str, &[FileReport], View, Format, &str); 17] = [
        ("an object gives a narrow table", &[object()], view(), Format::Table, OBJECT),
        ("memories of a chip", &[chip()], view(), Format::Table, TABLE_CHIP),
        ("everything", &one, view(), Format::Table, TABLE),
        ("hidden rows are summed", &one, three.clone(), Format::Table, TABLE_CUT),
        ("an alias matches", &one, View { filter: filter("^chacha$"), ..view() }, Format::Table, TABLE_ALIAS),
        ("several files", &both, View { sort: Sort::Name, rows_max: Some(1), ..view() }, Format::Table, TABLE_FILES),
        ("files are added up", &both, View { by: By::File, ..view() }, Format::Table, TABLE_BY_FILE),
        ("sources are added up", &one, View { by: By::File, ..view() }, Format::Table, TABLE_BY_SOURCE),
        (
            "sections over files",
            &both,
            View { by: By::Section, sort: Sort::Ram, ..view() },
            Format::Table,
            TABLE_BY_SECTION,
        ),
        ("CSV", &both, View { filter: filter("f$|call|buffer|block"), ..view() }, Format::Csv, CSV),
        ("CSV of groups", &one, View { by: By::Family, ..view() }, Format::Csv, CSV_BY_FAMILY),
        ("Markdown", &one, three, Format::Md, MD),
        ("folded", &both, View { rows_max: Some(4), ..view() }, Format::Folded, FOLDED),
        ("folded groups", &one, View { by: By::Crate, ..view() }, Format::Folded, FOLDED_BY_CRATE),
        ("Berkeley", &both, view(), Format::Berkeley, BERKELEY),
        ("JSON", &[object()], view(), Format::Json, JSON),
        ("JSON of groups", &one, View { by: By::Crate, filter: filter("call"), ..view() }, Format::Json, JSON_BY_CRATE),
    ];
    for (what, files, view, format, expected) in cases {
        let printed = print(files, &view, format, &Extras::default()).unwrap();
        assert_eq!(printed, expected, "{what}:\n{printed}");
    }
}

/// The order of the names for each key.
#[test]
fn lines_are_sorted_by_every_key() {
    const CALL: &str = "main::call<[u8; 4], \"a\" | b>";
    for (sort, expected) in [
        (Sort::Total, ["chacha20_block", "table", CALL, "count", "[padding]", "buffer"]),
        (Sort::Code, ["chacha20_block", CALL, "table", "count", "[padding]", "buffer"]),
        (Sort::Literals, ["chacha20_block", "table", CALL, "count", "[padding]", "buffer"]),
        (Sort::Data, ["table", "count", "chacha20_block", CALL, "[padding]", "buffer"]),
        (Sort::Padding, ["chacha20_block", "[padding]", "table", CALL, "count", "buffer"]),
        (Sort::Ram, ["buffer", "count", "chacha20_block", "table", CALL, "[padding]"]),
        (Sort::Stack, ["chacha20_block", CALL, "table", "count", "[padding]", "buffer"]),
        (Sort::Worst, [CALL, "chacha20_block", "table", "count", "[padding]", "buffer"]),
        (Sort::Cycles, ["chacha20_block", "table", CALL, "count", "[padding]", "buffer"]),
        (Sort::Name, ["[padding]", "buffer", "chacha20_block", "count", CALL, "table"]),
        (Sort::Address, ["chacha20_block", CALL, "[padding]", "table", "count", "buffer"]),
    ] {
        let files = [firmware()];
        let selection = View { sort, ..view() }.select(&files);
        let names: Vec<&str> = selection.shown.iter().map(|entry| entry.row.name.as_str()).collect();
        assert_eq!(names, expected, "{sort:?}");
    }
}

/// 25 rows: 20 are seen, 5 in the fold, unless a number is asked for.
#[test]
fn a_report_card_folds_what_is_long() {
    let rows: Vec<Row> = (0..25).map(|n| row(&format!("f{n:02}"), ".text", n, [2, 0, 0, 0, 0])).collect();
    let files = [file("c.o", rows, &[(".text", 0, 50, 0)])];
    for (rows_max, seen, folded) in [(None, 20, 5), (Some(7), 7, 0), (Some(usize::MAX), 25, 0)] {
        let text = print(&files, &View { rows_max, ..view() }, Format::Md, &Extras::default()).unwrap();
        let (card, fold) = text.split_once("<details>").unwrap_or((&text, ""));
        let count = |text: &str| text.matches("| `f").count();
        assert_eq!((count(card), count(fold)), (seen, folded), "{text}");
        assert_eq!(fold.contains("<summary>The other 5</summary>\n\n| "), folded > 0, "{text}");
        assert_eq!(card.contains(&format!("`[{} more rows]`", 25 - seen)), seen < 25, "{text}");
    }
}

/// What the page has, and what it must not have.
#[test]
fn the_page_has_every_part_and_escapes_names() {
    let mut bad = firmware();
    bad.file = "<script>alert(1)</script>.elf".to_owned();
    bad.notes.push("has no symbols".to_owned());
    let extras = Extras {
        listings: vec![Listing {
            name: "f<u8>".to_owned(),
            lines: vec!["0: bx lr & <x>".to_owned(), "  2: nop".to_owned()],
        }],
        limits: [("ROM".to_owned(), 1520), ("RAM".to_owned(), 100), ("CCM".to_owned(), 64)].into(),
    };
    let page = print(&[bad, object()], &view(), Format::Html, &extras).unwrap();
    for part in [
        "<title>Sizes of 2 files</title>",
        "<h2>&#60;script&#62;alert(1)&#60;/script&#62;.elf</h2>",
        "<a href=\"#file2\">b.o</a>",
        "<li>generated for <b>m4</b></li>",
        "This file has no symbols.",
        // 660 of 1520 bytes are code.
        "<span class=\"code\" style=\"width:43.42%\" title=\"660 bytes code\"></span>",
        "<b>760</b> of 1\u{202f}520 bytes:",
        // 520 bytes of RAM where there are 100: the bar is full.
        "<dd class=\"over\"><span class=\"bar\" aria-hidden=\"true\"><span class=\"plain\" style=\"width:100.00%\"",
        "<b>520</b> of 100 bytes – <b>more than there are</b>",
        "<title>chacha20_block\n624 bytes, 82.1%</title>",
        "<title>main::call&#60;[u8; 4], &#34;a&#34; | b&#62;\n60 bytes, 7.9%</title>",
        "<rect class=\"family0\"",
        "<i class=\"key family0\"></i>chacha20</li>",
        "<th scope=\"row\">table ← chacha20_block</th>",
        "<th scope=\"row\">TOTAL</th>",
        "<td class=\"n\">≥56</td>",
        "<tr><th scope=\"row\">.data</th><td class=\"n\">0x20000000</td><td class=\"n\">8</td><td class=\"n\">8</td></tr>",
        "<summary>f&#60;u8&#62;</summary>\n<pre>\n0: bx lr &#38; &#60;x&#62;\n  2: nop\n</pre>",
    ] {
        assert!(page.contains(part), "{part} is missing in\n{page}");
    }
    for part in ["http:", "https:", "src=", "@import", "url(", "onclick", "alert(1)<"] {
        assert!(!page.contains(part), "{part} is in the page");
    }
}

/// 5,000 rows: none is missing in the table, and small ones share a tile.
#[test]
fn a_page_stays_usable_with_many_rows() {
    let rows: Vec<Row> = (0..5000).map(|n| row(&format!("f{n}"), ".text", n, [n + 1, 0, 0, 0, 0])).collect();
    let total = rows.iter().map(|row| row.total_bytes).sum();
    let page =
        print(&[file("c.o", rows, &[(".text", 0, total, 0)])], &view(), Format::Html, &Extras::default()).unwrap();
    assert_eq!(page.matches("<th scope=\"row\">f").count(), 5000);
    // All are below one in 2000 of 12,502,500 bytes, 6251.
    assert!(page.contains("<rect class=\"small code\""));
    assert!(page.contains("<title>5000 smaller\n12502500 bytes, 100.0%</title>"));
    assert_eq!(page.matches("<rect").count(), 2);
}

const OBJECT: &str = r"  ROM%  Total  Code  Section  Name
100.0%     52    52  .text    f
100.0%     52    52           TOTAL

b.o: 52 = .text 52
";

const TABLE_CHIP: &str = r"  ROM%  Total  Code  Section  Name
100.0%     52    52  .text    f
100.0%     52    52           TOTAL

b.o: 52 = .text 52; in Flash Code 40, IRAM 12
";

const TABLE: &str = r#"  ROM%  Total  Code  Literals  Data  Padding  Constants  RAM  Stack  Worst  Cycles  Section  Name
 82.1%    624   600        20              4         64          48     48    1234  .text    chacha20_block (= chacha)
  8.4%     64                    64                                                 .rodata  table ← chacha20_block
  7.9%     60    60                                               8    ≥56          .text    main::call<[u8; 4], "a" | b>
  1.1%      8                     8                        8                        .data    count
  0.5%      4                              4                                        .text    [padding]
            0                                            512                        .bss     buffer
100.0%    760   660        20    72        8             520                                 TOTAL

fw.elf: 760 (520 RAM) = .text 688 + .rodata 64 + .data 8 (8 RAM) + .bss 512 RAM
stack of main::call<[u8; 4], "a" | b> ≥56: main::call calls through a pointer; memcpy is not in the file
"#;

const TABLE_CUT: &str = r#"  ROM%  Total  Code  Literals  Data  Padding  Constants  RAM  Stack  Worst  Cycles  Section  Name
 82.1%    624   600        20              4         64          48     48    1234  .text    chacha20_block (= chacha)
  8.4%     64                    64                                                 .rodata  table ← chacha20_block
  7.9%     60    60                                               8    ≥56          .text    main::call<[u8; 4], "a" | b>
  1.6%     12                     8        4             520                                 [3 more rows]
100.0%    760   660        20    72        8             520                                 TOTAL

fw.elf: 760 (520 RAM) = .text 688 + .rodata 64 + .data 8 (8 RAM) + .bss 512 RAM
stack of main::call<[u8; 4], "a" | b> ≥56: main::call calls through a pointer; memcpy is not in the file
"#;

const TABLE_ALIAS: &str = r"  ROM%  Total  Code  Literals  Data  Padding  Constants  RAM  Stack  Worst  Cycles  Section  Name
 82.1%    624   600        20              4         64          48     48    1234  .text    chacha20_block (= chacha)
 17.9%    136    60              72        4             520                                 [5 more rows]
100.0%    760   660        20    72        8             520                                 TOTAL

fw.elf: 760 (520 RAM) = .text 688 + .rodata 64 + .data 8 (8 RAM) + .bss 512 RAM
";

const TABLE_FILES: &str = r"  ROM%  Total  Code  Literals  Data  Padding  RAM  Section  Name           File
  0.5%      4                              4       .text    [padding]      fw.elf
 99.5%    808   712        20    72        4  520           [6 more rows]
100.0%    812   712        20    72        8  520           TOTAL

fw.elf: 760 (520 RAM) = .text 688 + .rodata 64 + .data 8 (8 RAM) + .bss 512 RAM
b.o: 52 = .text 52
";

const TABLE_BY_FILE: &str = r"  ROM%  Total  Code  Literals  Data  Padding  RAM  Section  Name
 93.6%    760   660        20    72        8  520           fw.elf
  6.4%     52    52                                .text    b.o
100.0%    812   712        20    72        8  520           TOTAL

fw.elf: 760 (520 RAM) = .text 688 + .rodata 64 + .data 8 (8 RAM) + .bss 512 RAM
b.o: 52 = .text 52
";

const TABLE_BY_SOURCE: &str = r"  ROM%  Total  Code  Literals  Data  Padding  RAM  Section  Name
 92.1%    700   600        20    72        8  520           [other]
  7.9%     60    60                                .text    main.rs
100.0%    760   660        20    72        8  520           TOTAL

fw.elf: 760 (520 RAM) = .text 688 + .rodata 64 + .data 8 (8 RAM) + .bss 512 RAM
";

const TABLE_BY_SECTION: &str = r"  ROM%  Total  Code  Literals  Data  Padding  RAM  Name     File
            0                                 512  .bss     fw.elf
  1.0%      8                     8             8  .data    fw.elf
 91.1%    740   712        20              8       .text
  7.9%     64                    64                .rodata  fw.elf
100.0%    812   712        20    72        8  520  TOTAL

fw.elf: 760 (520 RAM) = .text 688 + .rodata 64 + .data 8 (8 RAM) + .bss 512 RAM
b.o: 52 = .text 52
";

const CSV: &str = r#"file,name,symbol,aliases,kind,section,address,total_bytes,code_bytes,literal_bytes,data_bytes,padding_bytes,constant_bytes,ram_bytes,frame_bytes,worst_bytes,worst_unknown,cycles,target,shape,crate,family,source,used_by
fw.elf,chacha20_block,,chacha,function,.text,256,624,600,20,0,4,64,0,48,48,,1234,m4,unrolled,,chacha20,,
fw.elf,"main::call<[u8; 4], ""a"" | b>",_ZN4main4callE,,function,.text,880,60,60,0,0,0,0,0,8,56,main::call calls through a pointer; memcpy is not in the file,,,,main,,main.rs,
b.o,f,,,gap,.text,0,52,52,0,0,0,0,0,,,,,,,,,,
fw.elf,buffer,,,data,.bss,536870920,0,0,0,0,0,0,512,,,,,,,,,,
"#;

const CSV_BY_FAMILY: &str = r"file,name,symbol,aliases,kind,section,address,total_bytes,code_bytes,literal_bytes,data_bytes,padding_bytes,constant_bytes,ram_bytes,frame_bytes,worst_bytes,worst_unknown,cycles,target,shape,crate,family,source,used_by
fw.elf,chacha20,,,group,.text,0,624,600,20,0,4,0,0,,,,,,,,,,
fw.elf,[other],,,group,,0,136,60,0,72,4,0,520,,,,,,,,,,
";

const MD: &str = r#"- `fw.elf`: 760 bytes ROM, 520 bytes RAM

| ROM% | Total | Code | Literals | Data | Padding | Constants | RAM | Stack | Worst | Cycles | Section | Name |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | :--- | :--- |
| 82.1% | 624 | 600 | 20 |  | 4 | 64 |  | 48 | 48 | 1234 | `.text` | `chacha20_block (= chacha)` |
| 8.4% | 64 |  |  | 64 |  |  |  |  |  |  | `.rodata` | `table ← chacha20_block` |
| 7.9% | 60 | 60 |  |  |  |  |  | 8 | ≥56 |  | `.text` | `main::call<[u8; 4], "a" \| b>` |
| 1.6% | 12 |  |  | 8 | 4 |  | 520 |  |  |  |  | `[3 more rows]` |
| 100.0% | 760 | 660 | 20 | 72 | 8 |  | 520 |  |  |  |  | `TOTAL` |
"#;

const FOLDED: &str = r#"fw.elf;.text;chacha20;chacha20_block 624
fw.elf;.rodata;[other];table 64
fw.elf;.text;main;main::call<[u8,_4],_"a"_|_b> 60
b.o;.text;[other];f 52
[3_more_rows] 12
"#;

const FOLDED_BY_CRATE: &str = r"fw.elf;[other] 700
fw.elf;.text;main 60
";

const BERKELEY: &str = r"   text	   data	    bss	    dec	    hex	filename
    752	      8	    512	   1272	    4f8	fw.elf
     52	      0	      0	     52	     34	b.o
";

const JSON: &str = r#"{
  "files": [
    {
      "file": "b.o",
      "symbols": [
        {
          "name": "f",
          "section": ".text",
          "address": 0,
          "code_bytes": 52,
          "literal_bytes": 0,
          "data_bytes": 0,
          "padding_bytes": 0,
          "total_bytes": 52,
          "ram_bytes": 0,
          "kind": "gap"
        }
      ],
      "sections": [
        {
          "name": ".text",
          "address": 0,
          "bytes": 52,
          "ram_bytes": 0
        }
      ],
      "regions": [
        {
          "name": "ROM",
          "bytes": 52
        },
        {
          "name": "RAM",
          "bytes": 0
        }
      ],
      "total_bytes": 52,
      "ram_bytes": 0
    }
  ]
}
"#;

const JSON_BY_CRATE: &str = r#"{
  "files": [
    {
      "file": "fw.elf",
      "symbols": [
        {
          "name": "main::call<[u8; 4], \"a\" | b>",
          "section": ".text",
          "address": 880,
          "code_bytes": 60,
          "literal_bytes": 0,
          "data_bytes": 0,
          "padding_bytes": 0,
          "total_bytes": 60,
          "ram_bytes": 0,
          "symbol": "_ZN4main4callE",
          "kind": "function",
          "crate": "main",
          "source": "main.rs",
          "stack": {
            "frame_bytes": 8,
            "worst_bytes": 56,
            "unknown": [
              {
                "why": "indirect",
                "name": "main::call"
              },
              {
                "why": "external",
                "name": "memcpy"
              }
            ]
          }
        }
      ],
      "sections": [
        {
          "name": ".text",
          "address": 256,
          "bytes": 688,
          "ram_bytes": 0
        },
        {
          "name": ".rodata",
          "address": 1024,
          "bytes": 64,
          "ram_bytes": 0
        },
        {
          "name": ".data",
          "address": 536870912,
          "bytes": 8,
          "ram_bytes": 8
        },
        {
          "name": ".bss",
          "address": 536870920,
          "bytes": 0,
          "ram_bytes": 512
        }
      ],
      "regions": [
        {
          "name": "ROM",
          "bytes": 760
        },
        {
          "name": "RAM",
          "bytes": 520
        }
      ],
      "total_bytes": 760,
      "ram_bytes": 520
    }
  ],
  "by": "crate",
  "groups": [
    {
      "name": "main",
      "code_bytes": 60,
      "literal_bytes": 0,
      "data_bytes": 0,
      "padding_bytes": 0,
      "total_bytes": 60,
      "ram_bytes": 0
    }
  ]
}
"#;

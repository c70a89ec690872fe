//! The layout of every template, against text written by hand.

use templates::{Align, Assembly, Bindings, Header, HeaderFunction, Row, Table, Template, XtensaAssembly};

fn check(template: impl Template, expected: &str) {
    assert_eq!(template.render().expect("renders"), expected);
}

fn row(mnemonic: &str, operands: &str, remark: &str) -> Row {
    Row::Instruction { mnemonic: mnemonic.into(), operands: operands.into(), remark: remark.into() }
}

#[test]
fn assembly_has_columns_and_leaves_text_unescaped() {
    let assembly = Assembly {
        about: vec!["a < b & \"c\"".into(), String::new(), "end".into()],
        symbol: "f".into(),
        cpu: "cortex-m4",
        fpu: Some("fpv4-sp-d16"),
        attributes: vec![("Tag_ABI_VFP_args", 3)],
        literals: vec![(".Lf_literal0".into(), "0x00000012".into())],
        literals_end: Some(".Lf_literals_end".into()),
        rows: vec![
            Row::Label(".Lf_top".into()),
            Row::Comment("step".into()),
            row("add.w", "r0, r0, r1", "x0 += x1"),
            row("vldmia.f32", "r0, {s0}", ""),
            row("nop", "", ""),
            Row::Directive(".cfi_def_cfa_offset 8".into()),
        ],
        constants: vec!["0x01, 0x02".into()],
    };
    let expected = r#"@ a < b & "c"
@
@ end

        .syntax unified
        .thumb
        .cpu    cortex-m4
        .fpu    fpv4-sp-d16
        .eabi_attribute Tag_ABI_VFP_args, 3
        .cfi_sections .debug_frame

        .section .text.f,"ax",%progbits
        .p2align 2
.Lf_literal0:
        .word   0x00000012
.Lf_literals_end:
        .global f
        .type   f, %function
        .thumb_func
f:
        .cfi_startproc
.Lf_top:
        @ step
        add.w   r0, r0, r1                      @ x0 += x1
        vldmia.f32 r0, {s0}
        nop
        .cfi_def_cfa_offset 8
        .cfi_endproc
        .size   f, . - f
        .p2align 2

        .section .rodata.f,"a",%progbits
        .p2align 2
        .type   .Lf_constants, %object
.Lf_constants:
        .byte   0x01, 0x02
        .size   .Lf_constants, . - .Lf_constants
"#;
    check(assembly, expected);
}

#[test]
fn assembly_for_xtensa_has_its_literals_first() {
    let assembly = XtensaAssembly {
        about: vec!["a < b & \"c\"".into(), String::new()],
        symbol: "f".into(),
        literals: vec![(".Lf_literal0".into(), "0x00000012".into()), (".Lf_literal1".into(), "0x00000034".into())],
        rows: vec![Row::Comment("step".into()), row("l32r", "a2, .Lf_literal0", "x0"), row("ret.n", "", "")],
        constants: vec!["0x01".into()],
    };
    let expected = r#"# a < b & "c"
#

        .section .text.f,"ax",@progbits
        .balign 4
.Lf_literal0:
        .long   0x00000012
.Lf_literal1:
        .long   0x00000034
        .global f
        .type   f, @function
        # GNU as would take other forms of instructions; clang never does, and does not know the directive.
        .ifdef  .gasversion.
        .begin  no-transform
        .endif
f:
        # step
        l32r    a2, .Lf_literal0                # x0
        ret.n
        .ifdef  .gasversion.
        .end    no-transform
        .endif
        .size   f, . - f

        .section .rodata.f,"a",@progbits
        .balign 4
        .type   .Lf_constants, @object
.Lf_constants:
        .byte   0x01
        .size   .Lf_constants, . - .Lf_constants

        .section .note.GNU-stack,"",@progbits
"#;
    check(assembly, expected);
}

#[test]
fn header_is_guarded_and_open_to_cpp() {
    let header = Header {
        about: vec!["About".into()],
        guard: "F_H".into(),
        functions: vec![HeaderFunction {
            doc: vec!["Does.".into(), String::new(), "More.".into()],
            condition: None,
            prototype: "void f(void);".into(),
            constants: vec![("F_BYTES".into(), 12)],
        }],
    };
    let expected = "/*\n * About\n */\n#ifndef F_H\n#define F_H\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n\
                    #endif\n\n/**\n * Does.\n *\n * More.\n */\nvoid f(void);\n#define F_BYTES 12u\n\n#ifdef __cplusplus\n}\n\
                    #endif\n\n#endif\n";
    check(header, expected);
}

#[test]
fn bindings_are_code_under_a_comment() {
    let bindings = Bindings { about: vec!["Made.".into(), String::new()], code: "mod x {}\n".into() };
    check(bindings, "// Made.\n//\n\nmod x {}\n");
}

#[test]
fn table_columns_fit_their_widest_cell() {
    let cells = |row: &[&str]| row.iter().map(|cell| cell.to_string()).collect::<Vec<_>>();
    let table = Table::new(
        &[("name", Align::Left), ("n", Align::Right)],
        &[cells(&["a", "1"]), cells(&["longer", "100"])],
        &[cells(&["TOTAL", "101"])],
        vec!["below".into()],
    );
    check(table, "name      n\na         1\nlonger  100\nTOTAL   101\n\nbelow\n");
}

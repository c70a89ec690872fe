//! Whole schemes for C: the static library of the package `capi`, and its headers.

use crate::Outcome;
use crate::firmware::toolchain;
use anyhow::{Context, bail};
use kernels::params::mlkem::{self, Row, SEED_BYTES};
use sim::cycles::Core;
use std::path::Path;

/// The package, and the name of its library.
const PACKAGE: &str = "capi";
const LIBRARY: &str = "quadround_kem";

/// All parameter sets.
pub const SETS: [Row; 9] = [
    mlkem::ML_KEM_512,
    mlkem::ML_KEM_768,
    mlkem::ML_KEM_1024,
    mlkem::KYBER_512,
    mlkem::KYBER_768,
    mlkem::KYBER_1024,
    mlkem::KYBER_512_90S,
    mlkem::KYBER_768_90S,
    mlkem::KYBER_1024_90S,
];

/// A standard's name for a parameter set as C and tables take it, such as `mlkem768`.
pub fn short_name(name: &str) -> String {
    name.to_lowercase().replace("-90s", "_90s").replace('-', "")
}

fn name(row: &Row) -> String {
    short_name(row.name)
}

/// The sets of these names; without names all of them, or none if only kernels were asked for.
pub fn chosen(names: &[String], only_kernels: bool) -> anyhow::Result<Vec<Row>> {
    if names.is_empty() {
        return Ok(if only_kernels { Vec::new() } else { SETS.to_vec() });
    }
    let find = |asked: &String| match SETS.iter().find(|row| name(row) == *asked) {
        Some(row) => Ok(*row),
        None => {
            let all: Vec<String> = SETS.iter().map(name).collect();
            bail!("--scheme: there is no scheme {asked:?}; there are {}", all.join(", "))
        }
    };
    names.iter().map(find).collect()
}

/// Builds the library, and writes it and its headers.
pub fn write(sets: &[Row], low_stack: bool, core: Core, out: &Path) -> anyhow::Result<()> {
    let profile = low_stack.then(|| "low-stack".to_owned());
    let features: Vec<String> = sets.iter().map(name).chain(profile).collect();
    let library = match toolchain::library(PACKAGE, LIBRARY, core, &features.join(","))? {
        Outcome::Made(library) => library,
        Outcome::Failed(messages) => bail!("{PACKAGE} cannot be built:\n{messages}"),
    };
    let to = out.join(format!("lib{LIBRARY}.a"));
    std::fs::copy(&library, &to).with_context(|| format!("cannot write {}", to.display()))?;
    let file = |name: &str, text: String| {
        let path = out.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(out)).and_then(|()| std::fs::write(&path, text))
    };
    file(&format!("{LIBRARY}.h"), header(sets)).context("cannot write the header")?;
    for row in sets {
        file(&format!("{}/api.h", name(row)), api(row)).with_context(|| format!("cannot write {}/api.h", name(row)))?;
    }
    Ok(())
}

/// What is said before the declarations.
const HEAD: &str = "\
/*
 * Key-encapsulation mechanisms of quadround, in libquadround_kem.a.
 *
 * For each parameter set:
 *
 *   keypair         makes a key pair
 *   keypair_derand  the same from random bytes of the caller: d and z of FIPS 203, algorithm 16
 *   enc             makes a ciphertext and a shared key for the holder of the secret key
 *   enc_derand      the same from random bytes of the caller: m of FIPS 203, algorithm 17
 *   dec             gives the shared key in a ciphertext; of a wrong one a key that nobody else can know, and 0
 *
 * The secret key is the expanded one of FIPS 203, algorithm 16. No pointer needs to be aligned. What is written may overlap
 * nothing else that is passed. Variables with secrets are overwritten, but not what the compiler has copied from them into
 * registers and from there to the stack; keys are the caller's to overwrite.
 *
 * Results are 0, or one of the numbers below, and then nothing has been written: a shared key that was not written must not
 * be used.
 */
#ifndef QUADROUND_KEM_H
#define QUADROUND_KEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {
#endif

/* The key is refused: a coefficient is not reduced, or the hash in a secret key is wrong (FIPS 203, sections 7.2 and 7.3). */
#define QUADROUND_KEM_KEY 1
/* randombytes has failed. */
#define QUADROUND_KEM_RANDOM 2
/* A pointer is NULL. */
#define QUADROUND_KEM_NULL 3

/* To be supplied by who calls keypair or enc: fills length bytes at out from a generator that is fit for keys; 0 if it could. */
int randombytes(uint8_t *out, size_t length);
";

/// What is said behind them.
const END: &str = "
#ifdef __cplusplus
}
#endif

#endif
";

/// The header of these sets.
fn header(sets: &[Row]) -> String {
    let sets: Vec<String> = sets.iter().map(declarations).collect();
    format!("{HEAD}{}{END}", sets.concat())
}

/// The sizes of a set, as they are called after a prefix.
fn sizes(row: &Row) -> [(&'static str, usize); 6] {
    [
        ("PUBLICKEYBYTES", row.ek_bytes()),
        ("SECRETKEYBYTES", row.dk_bytes()),
        ("CIPHERTEXTBYTES", row.ct_bytes()),
        ("BYTES", SEED_BYTES),
        ("KEYPAIRCOINBYTES", 2 * SEED_BYTES),
        ("ENCCOINBYTES", SEED_BYTES),
    ]
}

fn declarations(row: &Row) -> String {
    let name = name(row);
    let prefix = format!("QUADROUND_{}", name.to_uppercase());
    let sizes = sizes(row).map(|(what, bytes)| format!("#define {prefix}_{what} {bytes}\n")).concat();
    format!(
        "\n/* {} */\n{sizes}\
         int quadround_{name}_keypair(uint8_t *pk, uint8_t *sk);\n\
         int quadround_{name}_keypair_derand(uint8_t *pk, uint8_t *sk, const uint8_t *coins);\n\
         int quadround_{name}_enc(uint8_t *ct, uint8_t *ss, const uint8_t *pk);\n\
         int quadround_{name}_enc_derand(uint8_t *ct, uint8_t *ss, const uint8_t *pk, const uint8_t *coins);\n\
         int quadround_{name}_dec(uint8_t *ss, const uint8_t *ct, const uint8_t *sk);\n",
        row.name
    )
}

/// The names that the NIST process and SUPERCOP have for one set.
fn api(row: &Row) -> String {
    let name = name(row);
    let upper = name.to_uppercase();
    let sizes = sizes(row).map(|(what, _)| format!("#define CRYPTO_{what} QUADROUND_{upper}_{what}\n")).concat();
    let functions = ["keypair", "keypair_derand", "enc", "enc_derand", "dec"];
    let functions = functions.map(|what| format!("#define crypto_kem_{what} quadround_{name}_{what}\n")).concat();
    format!(
        "/* {} under the names of the NIST process. Only one such file can be included at a time. */\n\
         #ifndef QUADROUND_API_H\n#define QUADROUND_API_H\n\n#include \"../quadround_kem.h\"\n\n\
         #define CRYPTO_ALGNAME \"{}\"\n{sizes}{functions}\n#endif\n",
        row.name, row.name
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_chosen_by_name() {
        let names = |names: &[&str], only_kernels| {
            let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
            chosen(&names, only_kernels).map(|rows| rows.iter().map(|row| row.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&[], false).unwrap().len(), 9);
        assert!(names(&[], true).unwrap().is_empty());
        assert_eq!(names(&["kyber512_90s", "mlkem768"], true).unwrap(), ["Kyber512-90s", "ML-KEM-768"]);
        let error = names(&["mlkem"], false).unwrap_err().to_string();
        assert!(error.contains("no scheme \"mlkem\"; there are mlkem512, mlkem768, mlkem1024, kyber512,"), "{error}");
    }

    /// FIPS 203, table 3.
    #[test]
    fn sizes_are_those_of_the_standard() {
        for (row, pk, sk, ct) in [(0, 800, 1632, 768), (1, 1184, 2400, 1088), (2, 1568, 3168, 1568)] {
            let text = header(&SETS[row..=row]);
            for (what, bytes) in [("PUBLICKEY", pk), ("SECRETKEY", sk), ("CIPHERTEXT", ct)] {
                let line = format!("#define QUADROUND_{}_{what}BYTES {bytes}\n", name(&SETS[row]).to_uppercase());
                assert!(text.contains(&line), "{line}{text}");
            }
        }
        let api = api(&SETS[1]);
        assert!(api.contains("#define CRYPTO_SECRETKEYBYTES QUADROUND_MLKEM768_SECRETKEYBYTES\n"), "{api}");
        assert!(api.contains("#define crypto_kem_dec quadround_mlkem768_dec\n"), "{api}");
    }
}

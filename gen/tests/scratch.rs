use generator::{kernels::chacha, target::*, thumb};
use kernels::params::chacha::Rounds;
#[test]
fn go() {
    for (t, sh) in [
        (Target::M4f, Shape::Unrolled),
        (Target::M3, Shape::Unrolled),
        (Target::M4f, Shape::Looped),
        (Target::M3, Shape::Looped),
    ] {
        for k in [chacha::permute(Rounds::R20)] {
            let t0 = std::time::Instant::now();
            let show = std::env::var("SHOW").is_ok();
            match thumb::compile(&k, t, sh, &mut |name, text| {
                if show {
                    println!("== {name}\n{text}")
                }
            }) {
                Ok(f) => {
                    println!("{} {} bytes {} cycles {:?}", f.symbol, f.code.len(), cycles(&f), t0.elapsed());
                    std::fs::write(format!("/tmp/{}.bin", f.symbol), &f.code).unwrap();
                }
                Err(e) => println!("{} {t} {sh} {e}", k.name),
            }
        }
    }
}
pub fn cycles(f: &generator::function::Function) -> u64 {
    use generator::function::Line;
    use isa::thumb::*;
    use sim::cycles::*;
    let core = match f.target {
        Target::M3 => sim::cycles::Core::M3,
        Target::M4 => sim::cycles::Core::M4,
        Target::M4f => sim::cycles::Core::M4f,
    };
    let mut insts = vec![];
    let mut at = 0u32;
    let mut label = 0;
    for l in &f.lines {
        match l {
            Line::Label(_) => label = at,
            Line::Inst { inst, target, .. } => {
                let len = encode(inst, false).unwrap().len;
                insts.push((*inst, len, at, target.is_some()));
                at += len;
            }
            _ => {}
        }
    }
    let mut p = Pipeline::new(core, Profile::Ideal);
    let mut i = 0;
    let mut count = 10;
    while i < insts.len() {
        let (inst, len, at, br) = insts[i];
        let t = Timing::of(&inst, len, core);
        let before = p.cycles();
        if br {
            count -= 1;
            if count > 0 {
                p.step(&t, &Event { flow: Flow::Jump(label), ..Event::at(at) });
                i = insts.iter().position(|x| x.2 == label).unwrap();
                continue;
            }
        }
        let flow = if i + 1 == insts.len() { Flow::Jump(0) } else { Flow::Next };
        p.step(&t, &Event { flow, ..Event::at(at) });
        if std::env::var("TRACE").is_ok() {
            println!("{:4} {:4x} {}", p.cycles() - before, at, inst);
        }
        i += 1;
    }
    p.cycles()
}

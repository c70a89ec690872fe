//! C headers.

use crate::emit::{EmitError, about};
use crate::function::{Direction, Function, Param};
use crate::target::Abi;
use templates::{Header, HeaderFunction, Template};

/// The header `name.h` that declares these functions. It stands alone; headers of the same run may be included together.
pub fn render(name: &str, functions: &[Function]) -> Result<String, EmitError> {
    let header = Header {
        about: about::set_head(name, functions),
        guard: format!("{}_H", name.to_uppercase()),
        functions: functions.iter().map(declaration).collect(),
    };
    header.render().map_err(|error| EmitError::text(name, error))
}

fn declaration(function: &Function) -> HeaderFunction {
    let mut doc = vec![about::sentence(function.interface.summary)];
    doc.extend(about::notes(function).into_iter().map(about::sentence));
    doc.push(String::new());
    doc.extend(function.interface.params.iter().map(param));
    doc.extend(function.interface.returns.map(|returned| format!("@return {}", returned.text())));
    doc.push(String::new());
    doc.extend(about::facts(function));
    HeaderFunction {
        doc,
        condition: condition(function.abi),
        prototype: format!("{};", about::prototype(function)),
        constants: about::constants(function).map(|(name, value, _)| (name, value)).collect(),
    }
}

/// For which compilers a declaration is, if another could read it and be wrong about how to call.
fn condition(abi: Abi) -> Option<&'static str> {
    match abi {
        Abi::Aapcs => None,
        Abi::Windowed => Some("defined(__XTENSA__) && defined(__XTENSA_WINDOWED_ABI__)"),
        Abi::Call0 => Some("defined(__XTENSA__) && defined(__XTENSA_CALL0_ABI__)"),
    }
}

fn param(param: &Param) -> String {
    let direction = match param.direction {
        Direction::In => "in",
        Direction::Out => "out",
        Direction::InOut => "in,out",
    };
    format!("@param[{direction}] {} {}", param.name, about::param(param))
}

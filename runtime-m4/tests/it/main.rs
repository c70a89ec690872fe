//! What can be known of the runtime without a board: the choices of its build, and its types where they compute with
//! portable code.

#[path = "../../build/board.rs"]
#[allow(dead_code)]
mod board;
#[path = "../../build/choose.rs"]
#[allow(dead_code)]
mod choose;
#[path = "../../build/config.rs"]
#[allow(dead_code)]
mod config;
#[path = "../../build/text.rs"]
#[allow(dead_code)]
mod text;

mod boards;
mod choices;
mod soft;
mod watched;

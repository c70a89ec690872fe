//! Which function executes a row.

/// A `match` whose arms are functions of the named parameters.
macro_rules! rows {
    (@arm ($($parameter:ident),*) $step:expr) => { |$($parameter),*| $step };
    ($op:ident $parameters:tt $($row:pat => $step:expr,)*) => {
        match $op { $($row => rows!(@arm $parameters $step),)* }
    };
}

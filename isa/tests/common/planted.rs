//! Semantics with a mistake, for co-simulation that must find it.

/// Our semantics with a result changed afterwards, for some row. Each becomes its row's name and a `Semantics`.
macro_rules! planted {
    ($($row:pat => |$before:ident, $state:ident, $memory:ident, $inst:ident| $change:expr;)*) => {
        [$({
            fn semantics(
                $state: &mut State,
                $memory: &mut Memory,
                $inst: &Inst,
                length: u32,
            ) -> Result<Outcome, Fault> {
                let $before = $state.clone();
                let outcome = ours($state, $memory, $inst, length)?;
                if matches!($inst.op, $row) && is_executed(outcome) {
                    $change;
                }
                Ok(outcome)
            }
            (stringify!($row), semantics as Semantics)
        }),*]
    };
}

//! One build of firmware at a time: cargo puts the programs for all boards of a target into the same place.

use anyhow::Context;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

/// Held until it is dropped, or the process ends.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits until nobody else holds the one in `folder`, which is made if there is none.
    ///
    /// # Errors
    /// If nothing can be written there.
    pub fn take(folder: &Path) -> anyhow::Result<Lock> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let path = folder.join(".lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.with_context(|| format!("cannot write {}", path.display()))?;
        let locked = match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                eprintln!("xtask: waiting for another build of firmware");
                file.lock()
            }
            Err(TryLockError::Error(error)) => Err(error),
            Ok(()) => Ok(()),
        };
        match locked {
            // Some network file systems cannot; cargo does without as well.
            Err(error) if error.kind() != ErrorKind::Unsupported => {
                Err(error).with_context(|| format!("cannot lock {}", path.display()))
            }
            _ => Ok(Lock { _file: file }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("made/with spaces");
        let inside = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _lock = Lock::take(&folder).unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    std::thread::sleep(std::time::Duration::from_millis(5));
                    inside.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        let file = folder.join(".lock");
        for (place, expected) in [(file.clone(), "cannot make"), (file.join("below"), "cannot make")] {
            let error = Lock::take(&place).map(drop).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}

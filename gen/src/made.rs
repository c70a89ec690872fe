//! Results that are made once for each question, whoever asks.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

/// What has been made so far, or is being made: whoever asks second waits for whoever asked first.
pub struct Made<K, V>(LazyLock<Mutex<HashMap<K, Arc<OnceLock<V>>>>>);

impl<K: Clone + Eq + Hash, V: Clone> Made<K, V> {
    /// Nothing yet.
    pub const fn new() -> Self {
        Made(LazyLock::new(Mutex::default))
    }

    /// The answer, made by `make` if nobody has asked before.
    pub fn get(&self, question: K, make: impl FnOnce(&K) -> V) -> V {
        let place = self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(question.clone()).or_default().clone();
        place.get_or_init(|| make(&question)).clone()
    }
}

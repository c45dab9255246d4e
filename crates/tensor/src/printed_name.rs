//! What messages call the package: the name under which the program has imported it.

use std::borrow::Cow;
use std::sync::{PoisonError, RwLock};

static NAME: RwLock<Cow<'static, str>> = RwLock::new(Cow::Borrowed("fg"));

/// The name that texts begin with where they name something of the package: `fg` unless it was set.
#[must_use]
pub fn printed_name() -> Cow<'static, str> {
    NAME.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Sets that name for the process.
pub fn set_printed_name(name: String) {
    *NAME.write().unwrap_or_else(PoisonError::into_inner) = Cow::Owned(name);
}

#[cfg(test)]
mod tests {
    use super::{printed_name, set_printed_name};

    #[test]
    fn the_name_is_the_last_that_was_set() {
        assert_eq!(printed_name(), "fg");
        set_printed_name("tf".to_owned());
        assert_eq!(printed_name(), "tf");
        set_printed_name("fg".to_owned());
        assert_eq!(printed_name(), "fg");
    }
}

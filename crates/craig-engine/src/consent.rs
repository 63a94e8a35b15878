//! The consent that the user has given in advance.

/// What an ingestion may do without confirmation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consent {
    /// Whether it may cost what it costs, instead of failing with
    /// [`CostsNotAccepted`](crate::EngineError::CostsNotAccepted).
    pub costs: bool,
    /// Which directories it may make new projects of.
    pub new_sources: NewSources,
}

/// Which directories become new projects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NewSources {
    /// All but [protected](craig_source::protected_folder) ones: home directories and system folders.
    #[default]
    Unprotected,
    /// Any: the user has agreed.
    Any,
    /// Exactly the named directory, even a protected one: it has been checked, so a link to another place is an error.
    /// Repositories are fetched only from public servers, because the source was named by an assistant.
    Exact,
}

//! What the user has agreed to beforehand.

/// What an ingestion may do without asking.
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
    /// None that is [protected](craig_source::protected_folder): home directories, system folders.
    #[default]
    Unprotected,
    /// Any: the user has agreed.
    Any,
    /// The very directory that is named, whatever it is: somebody has looked at it, and no link may lead elsewhere now.
    /// Of repositories by URL, only those of public servers: an assistant named it.
    Exact,
}

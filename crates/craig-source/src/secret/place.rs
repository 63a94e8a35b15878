//! The decision, from the place of a value and from the value itself.

use super::value;

/// The evidence of a place about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A secret's name in a file that tools keep credentials in: anything that is given there.
    Credentials,
    /// The password in the address of another machine: `postgres://app:…@db.acme.io`.
    Address,
    /// What a command, a statement or a key takes as its password and nothing else: `sshpass -p …`, `IDENTIFIED BY '…'`.
    Argument,
    /// Named a password, which people make up.
    Password,
    /// The password in an address of this machine or of a sample: `postgres://app:…@localhost`.
    LocalAddress,
    /// Named a key or a secret, which are drawn.
    Key,
    /// A vendor's mark, alphabet and length: `ghp_…`.
    Mark,
    /// Named a token, of which parsers have other ones, or some key.
    Token,
    /// Next to a name that does not assign it.
    Near,
}

impl Place {
    /// The points of the place. A value needs that many fewer.
    fn points(self) -> i32 {
        match self {
            Self::Credentials => 24,
            Self::Address => 5,
            Self::Argument => 0,
            Self::Password => -1,
            Self::LocalAddress => -3,
            Self::Key => -4,
            Self::Mark => -7,
            Self::Token | Self::Near => -9,
        }
    }
}

/// Whether the value in a place is a secret: points of the place and of the value together.
pub(super) fn is_secret(place: Place, value: &[u8]) -> bool {
    place.points() + value::points(value) > 0
}

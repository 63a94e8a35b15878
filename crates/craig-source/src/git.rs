//! Repositories by URL: cloned and followed from commit to commit by the installed `git`.
//!
//! [`GitUrl::parse`] checks a URL and takes credentials out of it, [`Checkout::make`] clones, [`Checkout::fetch`] looks
//! for a newer commit, [`Checkout::differences`] lists what it would change, [`Checkout::advance`] goes there.
//! Why a subprocess: decision 006.

mod checkout;
mod command;
mod elsewhere;
mod error;
mod index;
mod repository;
mod server;
mod url;

pub use checkout::{Checkout, Commit, Differences, Remote};
pub use command::{GitAccess, GitToken};
pub use elsewhere::repository_leads_elsewhere;
pub use error::{BadUrl, GitError};
pub(crate) use index::BadIndex;
pub(crate) use repository::{Repository, common_folder, exclude_file, git_folder, hash_of_tracked};
pub use server::{Reach, public_addresses};
pub use url::GitUrl;

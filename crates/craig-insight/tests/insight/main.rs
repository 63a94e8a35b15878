//! Analyses of tiny projects: text in, text out.

mod fixture;
mod imports;

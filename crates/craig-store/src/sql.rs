//! One way to run statements on both kinds of databases.
//!
//! All statements of this crate but those on SQLite's files are written once, in the SQL that SQLite and PostgreSQL share.
//! Three forms are put into the words of each:
//! - `?1` is a parameter;
//! - `= ANY(?1)` means one of a list, so that many rows are read in one statement;
//! - an [`Insert`] writes many rows.
//!
//! Numbers are 64 bits wide, times are text.

mod postgres;
mod sqlite;
mod value;

use std::cell::RefCell;

pub(crate) use postgres::Client;
pub(crate) use value::{FromValue, ToValue, Value};

use crate::StoreError;

/// What a database reports, before it is [sorted](crate::StoreError) by what a user can do about it.
#[derive(Debug)]
pub(crate) enum Error {
    Sqlite(rusqlite::Error),
    Postgres(::postgres::Error),
    /// A stored value that cannot be what was written: what is wrong with it.
    Unexpected(String),
    /// An error that needs no sorting.
    Store(StoreError),
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<::postgres::Error> for Error {
    fn from(error: ::postgres::Error) -> Self {
        Self::Postgres(error)
    }
}

impl Error {
    /// The stored data of this file is not what was stored.
    pub(crate) fn damaged(path: &str) -> Self {
        Self::Store(StoreError::DamagedText { path: path.to_owned() })
    }
}

/// The parameters of a statement.
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        [$($crate::sql::ToValue::to_value(&$value)),*]
    };
}
pub(crate) use params;

/// The kind of a column, for lists of its values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Bool,
    Int,
    Real,
    Text,
    Blob,
}

/// A statement that writes many rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Insert {
    pub(crate) table: &'static str,
    pub(crate) columns: &'static [(&'static str, Kind)],
    /// What follows the rows: `ON CONFLICT …`, `RETURNING …`.
    pub(crate) then: &'static str,
}

impl Insert {
    fn names(&self) -> String {
        self.columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }
}

/// A row of a result, while it is read.
#[derive(Clone, Copy)]
pub(crate) enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r ::postgres::Row),
}

impl<'r> Row<'r> {
    /// The value in a column, counted from 0.
    pub(crate) fn value(self, column: usize) -> Result<Value<'r>> {
        match self {
            Self::Sqlite(row) => sqlite::value(row, column),
            Self::Postgres(row) => postgres::value(row, column),
        }
    }

    pub(crate) fn get<T: FromValue>(self, column: usize) -> Result<T> {
        let value = self.value(column)?;
        T::from_value(&value)
            .ok_or_else(|| Error::Unexpected(format!("column {column} of a row has the value {value:?}")))
    }

    /// A number that is never negative.
    pub(crate) fn unsigned(self, column: usize) -> Result<u64> {
        self.get(column).map(i64::cast_unsigned)
    }

    /// A text without a copy.
    pub(crate) fn text(self, column: usize) -> Result<&'r str> {
        match self.value(column)? {
            Value::Text(text) => Ok(text),
            value => Err(Error::Unexpected(format!("column {column} of a row has no text but {value:?}"))),
        }
    }

    /// Bytes without a copy.
    pub(crate) fn blob(self, column: usize) -> Result<&'r [u8]> {
        match self.value(column)? {
            Value::Blob(bytes) => Ok(bytes),
            value => Err(Error::Unexpected(format!("column {column} of a row has no bytes but {value:?}"))),
        }
    }

    pub(crate) fn blob_or_null(self, column: usize) -> Result<Option<&'r [u8]>> {
        match self.value(column)? {
            Value::Null => Ok(None),
            _ => self.blob(column).map(Some),
        }
    }
}

/// A connection to a database of either kind. Statements are prepared once.
pub(crate) enum Connection {
    Sqlite(rusqlite::Connection),
    Postgres(Box<RefCell<Client>>),
}

/// Several reads of one state, or writes that are committed together. Rolled back when it is dropped.
pub(crate) enum Transaction<'c> {
    Sqlite(rusqlite::Transaction<'c>),
    Postgres(postgres::Transaction<'c>),
}

impl Connection {
    /// The connection to a file; `None` if this is one to a server.
    pub(crate) fn sqlite(&self) -> Option<&rusqlite::Connection> {
        match self {
            Self::Sqlite(connection) => Some(connection),
            Self::Postgres(_) => None,
        }
    }

    /// Calls `read` for each row of a query.
    pub(crate) fn each(
        &self,
        sql: &str,
        params: &[Value<'_>],
        mut read: impl FnMut(Row<'_>) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Sqlite(connection) => sqlite::each(connection, sql, params, &mut read),
            Self::Postgres(client) => client.borrow_mut().each(sql, params, &mut read),
        }
    }

    /// All rows of a query.
    pub(crate) fn all<T>(
        &self,
        sql: &str,
        params: &[Value<'_>],
        mut map: impl FnMut(Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        self.each(sql, params, |row| {
            rows.push(map(row)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// The first row of a query; `None` if there is none.
    pub(crate) fn one<T>(
        &self,
        sql: &str,
        params: &[Value<'_>],
        map: impl FnMut(Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.all(sql, params, map).map(|rows| rows.into_iter().next())
    }

    /// Runs a statement that returns no rows; returns how many rows it changed.
    pub(crate) fn execute(&self, sql: &str, params: &[Value<'_>]) -> Result<u64> {
        match self {
            Self::Sqlite(connection) => sqlite::execute(connection, sql, params),
            Self::Postgres(client) => client.borrow_mut().execute(sql, params),
        }
    }

    /// Writes rows, each with a value for each column of `insert`.
    pub(crate) fn insert(&self, insert: Insert, rows: &[Vec<Value<'_>>]) -> Result<()> {
        self.insert_returning(insert, rows, |_| Ok(())).map(drop)
    }

    /// Writes rows, and maps those that the statement returns, in any order.
    pub(crate) fn insert_returning<T>(
        &self,
        insert: Insert,
        rows: &[Vec<Value<'_>>],
        mut map: impl FnMut(Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut returned = Vec::new();
        let mut read = |row: Row<'_>| {
            returned.push(map(row)?);
            Ok(())
        };
        match self {
            Self::Sqlite(connection) => sqlite::insert(connection, insert, rows, &mut read)?,
            Self::Postgres(client) if !rows.is_empty() => {
                client.borrow_mut().insert(insert, rows, &mut read)?;
            }
            Self::Postgres(_) => {}
        }
        Ok(returned)
    }

    /// Makes all reads see one state, until the transaction is dropped.
    pub(crate) fn snapshot(&self) -> Result<Transaction<'_>> {
        match self {
            Self::Sqlite(connection) => Ok(Transaction::Sqlite(connection.unchecked_transaction()?)),
            Self::Postgres(client) => {
                let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
                postgres::Transaction::begin(client, begin).map(Transaction::Postgres)
            }
        }
    }

    /// Begins to write.
    pub(crate) fn transaction(&self) -> Result<Transaction<'_>> {
        match self {
            Self::Sqlite(connection) => sqlite::begin(connection).map(Transaction::Sqlite),
            Self::Postgres(client) => {
                postgres::Transaction::begin(client, "BEGIN").map(Transaction::Postgres)
            }
        }
    }
}

impl Transaction<'_> {
    pub(crate) fn commit(self) -> Result<()> {
        match self {
            Self::Sqlite(transaction) => Ok(transaction.commit()?),
            Self::Postgres(transaction) => transaction.commit(),
        }
    }
}

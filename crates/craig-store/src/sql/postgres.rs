//! Statements on PostgreSQL.

use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error as StdError;
use std::time::Duration;

use bytes::BytesMut;
use fallible_iterator::FallibleIterator as _;
use postgres::Statement;
use postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use super::{Error, Insert, Kind, Result, Row, Value};

/// How long a server may take to show that it is there.
const ALIVE_TIMEOUT: Duration = Duration::from_secs(5);

type Read<'r> = &'r mut dyn FnMut(Row<'_>) -> Result<()>;

/// A connection to a server, with the statements that it has prepared.
pub(crate) struct Client {
    pub(crate) connection: postgres::Client,
    statements: HashMap<String, Statement>,
}

impl Client {
    pub(crate) fn new(connection: postgres::Client) -> Self {
        Self { connection, statements: HashMap::new() }
    }

    /// Whether the server still answers.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.connection.is_valid(ALIVE_TIMEOUT).is_ok()
    }

    /// Sets how long a statement waits for a lock before it fails.
    pub(crate) fn set_patience(&mut self, patience: Duration) -> Result<()> {
        // 0 would mean forever.
        let milliseconds = patience.as_millis().max(1);
        Ok(self.connection.batch_execute(&format!("SET lock_timeout = {milliseconds}"))?)
    }

    fn statement(&mut self, sql: &str) -> Result<Statement> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.connection.prepare(&in_its_words(sql))?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    pub(super) fn each(&mut self, sql: &str, params: &[Value<'_>], read: Read<'_>) -> Result<()> {
        let statement = self.statement(sql)?;
        let mut rows = self.connection.query_raw(&statement, params)?;
        while let Some(row) = rows.next()? {
            read(Row::Postgres(&row))?;
        }
        Ok(())
    }

    pub(super) fn execute(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64> {
        let statement = self.statement(sql)?;
        let mut rows = self.connection.query_raw(&statement, params)?;
        while rows.next()?.is_some() {}
        Ok(rows.rows_affected().unwrap_or_default())
    }

    pub(super) fn insert(&mut self, insert: Insert, rows: &[Vec<Value<'_>>], read: Read<'_>) -> Result<()> {
        let lists = insert.columns.iter().zip(1..).map(|((_, kind), number)| {
            let kind = match kind {
                Kind::Bool => "boolean",
                Kind::Int => "bigint",
                Kind::Real => "double precision",
                Kind::Text => "text",
                Kind::Blob => "bytea",
            };
            format!("?{number}::{kind}[]")
        });
        let lists = lists.collect::<Vec<_>>().join(", ");
        let Insert { table, then, .. } = insert;
        // Ids that are given are kept; where none are, these words mean nothing.
        let sql = format!(
            "INSERT INTO {table} ({}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest({lists}) {then}",
            insert.names()
        );
        let statement = self.statement(&sql)?;
        let columns = (0..insert.columns.len()).map(|column| Column { rows, column });
        let mut returned = self.connection.query_raw(&statement, columns)?;
        while let Some(row) = returned.next()? {
            read(Row::Postgres(&row))?;
        }
        Ok(())
    }
}

/// A transaction on a connection that others may go on using: what they do belongs to it.
pub(crate) struct Transaction<'c> {
    client: &'c RefCell<Client>,
    is_over: bool,
}

impl<'c> Transaction<'c> {
    pub(super) fn begin(client: &'c RefCell<Client>, begin: &str) -> Result<Self> {
        client.borrow_mut().connection.batch_execute(begin)?;
        Ok(Self { client, is_over: false })
    }

    pub(super) fn commit(mut self) -> Result<()> {
        self.is_over = true;
        Ok(self.client.borrow_mut().connection.batch_execute("COMMIT")?)
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            // A lost connection has rolled back.
            let _ = self.client.borrow_mut().connection.batch_execute("ROLLBACK");
        }
    }
}

type Encoded = std::result::Result<IsNull, Box<dyn StdError + Sync + Send>>;

impl ToSql for Value<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Encoded {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Bool(is) => is.to_sql(kind, out),
            Value::Int(number) => number.to_sql(kind, out),
            Value::Real(number) => number.to_sql(kind, out),
            // PostgreSQL has no texts with the letter 0.
            Value::Text(text) if text.contains('\0') => text.replace('\0', "\u{FFFD}").to_sql(kind, out),
            Value::Text(text) => text.to_sql(kind, out),
            Value::Blob(bytes) => bytes.to_sql(kind, out),
            Value::Ints(numbers) => numbers.to_sql(kind, out),
            Value::Texts(all) => all.to_sql(kind, out),
            Value::Blobs(all) => all.to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// The values of all rows in one column.
#[derive(Debug)]
struct Column<'r> {
    rows: &'r [Vec<Value<'r>>],
    column: usize,
}

impl ToSql for Column<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Encoded {
        let values: Vec<&Value<'_>> = self.rows.iter().map(|row| &row[self.column]).collect();
        values.to_sql(kind, out)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

pub(super) fn value(row: &postgres::Row, column: usize) -> Result<Value<'_>> {
    let kind = row.columns()[column].type_();
    let value = match *kind {
        Type::BOOL => row.try_get::<_, Option<bool>>(column)?.map(Value::Bool),
        Type::INT4 => row.try_get::<_, Option<i32>>(column)?.map(|number| Value::Int(number.into())),
        Type::INT8 => row.try_get::<_, Option<i64>>(column)?.map(Value::Int),
        Type::FLOAT8 => row.try_get::<_, Option<f64>>(column)?.map(Value::Real),
        Type::TEXT | Type::NAME => row.try_get::<_, Option<&str>>(column)?.map(Value::Text),
        Type::BYTEA => row.try_get::<_, Option<&[u8]>>(column)?.map(Value::Blob),
        _ => return Err(Error::Unexpected(format!("column {column} of a row is of the type {kind}"))),
    };
    Ok(value.unwrap_or(Value::Null))
}

/// Parameters are `$1` here, and `?1` in SQLite.
fn in_its_words(sql: &str) -> String {
    sql.replace('?', "$")
}

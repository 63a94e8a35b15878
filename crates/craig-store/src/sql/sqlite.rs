//! Statements on SQLite.

use std::borrow::Cow;
use std::rc::Rc;

use rusqlite::types::{ToSql, ToSqlOutput, Value as Owned, ValueRef};
use rusqlite::{Connection, Row as SqliteRow, Transaction, TransactionBehavior};

use super::{Error, Insert, Result, Row, Value};

type Read<'r> = &'r mut dyn FnMut(Row<'_>) -> Result<()>;

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self {
            Value::Null => ValueRef::Null,
            Value::Bool(is) => ValueRef::Integer(i64::from(*is)),
            Value::Int(number) => ValueRef::Integer(*number),
            Value::Real(number) => ValueRef::Real(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
            Value::Ints(all) => return Ok(list(all, |number| Owned::Integer(*number))),
            Value::Texts(all) => return Ok(list(all, |text| Owned::Text((*text).to_owned()))),
            Value::Blobs(all) => return Ok(list(all, |bytes| Owned::Blob(bytes.to_vec()))),
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}

fn list<T>(values: &[T], owned: impl Fn(&T) -> Owned) -> ToSqlOutput<'static> {
    let values: Vec<Owned> = values.iter().map(owned).collect();
    ToSqlOutput::from_rc(Rc::new(values), c"rarray")
}

pub(super) fn value<'r>(row: &'r SqliteRow<'_>, column: usize) -> Result<Value<'r>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => Value::Text(
            std::str::from_utf8(text)
                .map_err(|_| Error::Unexpected(format!("column {column} of a row is no UTF-8")))?,
        ),
        ValueRef::Blob(bytes) => Value::Blob(bytes),
    })
}

pub(super) fn each(connection: &Connection, sql: &str, params: &[Value<'_>], read: Read<'_>) -> Result<()> {
    let mut statement = connection.prepare_cached(&in_its_words(sql))?;
    let mut rows = statement.query(rusqlite::params_from_iter(params))?;
    while let Some(row) = rows.next()? {
        read(Row::Sqlite(row))?;
    }
    Ok(())
}

pub(super) fn execute(connection: &Connection, sql: &str, params: &[Value<'_>]) -> Result<u64> {
    let mut statement = connection.prepare_cached(&in_its_words(sql))?;
    Ok(statement.execute(rusqlite::params_from_iter(params))? as u64)
}

pub(super) fn insert(
    connection: &Connection,
    insert: Insert,
    rows: &[Vec<Value<'_>>],
    read: Read<'_>,
) -> Result<()> {
    let numbers: Vec<String> = (1..=insert.columns.len()).map(|number| format!("?{number}")).collect();
    let Insert { table, then, .. } = insert;
    let sql = format!("INSERT INTO {table} ({}) VALUES ({}) {then}", insert.names(), numbers.join(", "));
    let mut statement = connection.prepare_cached(&sql)?;
    for row in rows {
        let mut returned = statement.query(rusqlite::params_from_iter(row))?;
        while let Some(row) = returned.next()? {
            read(Row::Sqlite(row))?;
        }
    }
    Ok(())
}

/// Waits for the right to write.
pub(super) fn begin(connection: &Connection) -> Result<Transaction<'_>> {
    Ok(Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?)
}

fn in_its_words(sql: &str) -> Cow<'_, str> {
    match sql.contains("= ANY(") {
        true => sql.replace("= ANY(", "IN rarray(").into(),
        false => sql.into(),
    }
}

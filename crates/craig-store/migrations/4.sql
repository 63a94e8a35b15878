-- What a database inside of a repository is known again by: one row there, none in a user's own database. What a database
-- is for is its PRAGMA application_id.
CREATE TABLE binding (
    secret TEXT NOT NULL                             -- random, in hex; the user's data folder has it, too
);

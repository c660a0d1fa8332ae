-- The latest time that the clock of the database has shown, kept every few seconds. A clock that shows an earlier time went back, and
-- what waits for a time is moved back with it.
create table runtime.clock (
  only_row boolean primary key default true check (only_row),
  latest timestamptz not null
);
insert into runtime.clock (latest) values (clock_timestamp());

-- How far the clock of the replica with this key is ahead of the database's, in milliseconds; null if they agree.
alter table runtime.signing_key add column clock_ahead_ms double precision;

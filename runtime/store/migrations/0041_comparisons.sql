-- What people compared with hidden values within the last hour (docs/decisions/0082). The digest is keyed, and of the person, the place
-- and both values: it reveals neither, and the same comparison is one row.
create table runtime.comparison (
  actor_id text not null,
  -- no reference: its check would wait for a save that holds the scope, while that save waits for the lock of this person
  scope_id bigint not null,
  locator text not null,
  property text not null,
  digest bytea not null,
  compared_at timestamptz not null default clock_timestamp(),
  primary key (actor_id, scope_id, locator, property, digest)
);
create index comparison_by_age on runtime.comparison (compared_at);

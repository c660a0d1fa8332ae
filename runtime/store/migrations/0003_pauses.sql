-- What people have paused: for it no plugin is called until somebody resumes it. Few rows, which people remove; that of an operation
-- goes with the operation, so nothing else prunes them.
create table runtime.pause (
  operation_id uuid unique references runtime.operation on delete cascade,
  scope_id bigint unique references runtime.scope,
  plugin_id text unique references runtime.plugin,
  paused_at timestamptz not null default clock_timestamp(),
  paused_by_id text not null,
  paused_by_name text not null,
  reason text not null,
  check (num_nonnulls(operation_id, scope_id, plugin_id) = 1)
);

-- The same where a worker reads it: it, or its scope, is paused.
alter table runtime.operation add column paused boolean not null default false;
alter table runtime.plugin add column paused boolean not null default false;

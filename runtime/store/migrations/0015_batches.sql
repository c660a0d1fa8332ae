-- One action over many targets. The row of a batch is locked while an item starts, so no item starts twice.
create table runtime.batch (
  batch_id uuid primary key,
  action text not null,
  title text not null,
  -- sealed: it may contain sensitive values
  input bytea not null,
  -- the same for display, without sensitive values
  shown_input json not null,
  first integer,
  concurrency integer not null,
  stop_after_failures integer,
  reason text,
  state text not null,
  -- why it is paused or was stopped
  because text,
  -- whether more than the first items may start
  is_released boolean not null,
  requested_by_id text not null,
  requested_by_name text not null,
  -- the person for whom items are carried out; their grants are used until they expire
  actor json not null,
  grants_until timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  available_at timestamptz not null default clock_timestamp()
);
create index batch_newest on runtime.batch (created_at desc, batch_id desc);
create index batch_unfinished on runtime.batch (created_at) where finished_at is null;

create table runtime.batch_item (
  batch_id uuid not null references runtime.batch,
  position integer not null,
  -- an installation, or an operation
  target uuid not null,
  bundle_install_id uuid not null references runtime.installation,
  scope_id bigint not null references runtime.scope,
  state text not null,
  -- refused when the batch was made: it never starts, and does not count as a failure
  refused_in_plan boolean not null,
  -- of the operation to retry or to take over
  run integer,
  plan_token text,
  -- keyed digest of the changes that were planned
  changes_digest bytea,
  operation_id uuid references runtime.operation,
  -- the run of the operation whose result counts
  operation_run integer,
  code text,
  message text,
  parameters json,
  start_failures integer not null default 0,
  started_at timestamptz,
  ended_at timestamptz,
  primary key (batch_id, position),
  unique (batch_id, target)
);
create index batch_item_state on runtime.batch_item (batch_id, state, position);
create index batch_item_scope on runtime.batch_item (scope_id, batch_id);

-- What the console did itself, or refused, until the runtime has recorded it (docs/decisions/0009).
create table bff.audit_event (
  event_id uuid primary key,
  -- events of the same key are one event with a count, until it is sent; those without a key are never merged
  merge_key bytea unique,
  action text not null,
  outcome text not null,
  subject text not null,
  error_code text,
  -- null where nobody is known
  actor_id text,
  actor_name text,
  actor_issuer text,
  scope json,
  bundle_install_id uuid,
  operation_id uuid,
  client_address text,
  request_id text not null,
  occurrences bigint not null default 1,
  first_at timestamptz not null default clock_timestamp(),
  last_at timestamptz not null default clock_timestamp(),
  -- when it is due to be sent; moved on before each attempt, so that a replica that dies leaves it to the others
  available_at timestamptz not null,
  attempts integer not null default 0
);
create index audit_event_due on bff.audit_event (available_at);

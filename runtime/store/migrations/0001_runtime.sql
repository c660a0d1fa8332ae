-- The runtime's tables. Words are those of the glossary in docs/architecture.md.
-- Typed values are kept as the protocol writes them; json (not jsonb) where the author's text should stay as it was.

-- A scope: the place that bundles are installed into. Its row is the lock of its configuration.
create table runtime.scope (
  scope_id bigint generated always as identity primary key,
  environment_key text not null,
  application_runtime_id text not null,
  workspace_id bigint not null,
  snapshot_version bigint not null default 1,
  saved_at timestamptz not null default clock_timestamp(),
  saved_by_id text not null,
  saved_by_name text not null,
  unique (environment_key, application_runtime_id, workspace_id)
);

create table runtime.bundle_version (
  bundle_environment_key text not null,
  bundle_id text not null,
  version text not null,
  title text not null,
  description text,
  manifest json not null,
  published_at timestamptz not null default clock_timestamp(),
  published_by_id text not null,
  published_by_name text not null,
  primary key (bundle_environment_key, bundle_id, version)
);
create index bundle_version_newest on runtime.bundle_version (bundle_environment_key, bundle_id, published_at desc);

create table runtime.installation (
  bundle_install_id uuid primary key,
  scope_id bigint not null references runtime.scope,
  environment_key text not null,
  application_runtime_id text not null,
  workspace_id bigint not null,
  bundle_environment_key text not null,
  bundle_id text not null,
  title text not null,
  state text not null check (state in ('NOT_INSTALLED', 'ACTIVE', 'DETACHED')),
  version text,
  last_execution_sequence bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
-- at most one installation of a bundle is not DETACHED in one scope
create unique index installation_bundle_once on runtime.installation (scope_id, bundle_environment_key, bundle_id)
  where state <> 'DETACHED';
create index installation_newest on runtime.installation (updated_at desc, bundle_install_id desc);
create index installation_scope on runtime.installation
  (environment_key, application_runtime_id, workspace_id, updated_at desc, bundle_install_id desc);
create index installation_bundle on runtime.installation (bundle_id, bundle_install_id);

-- The ledger of installed resources: what RESOURCES last applied and verified.
create table runtime.installed_resource (
  bundle_install_id uuid not null references runtime.installation,
  locator text not null,
  scope_id bigint not null references runtime.scope,
  kind text not null check (kind in ('MODULE', 'GATEWAY', 'AGENT', 'TIMER')),
  title text not null,
  module_id text,
  version text not null,
  definitions json not null,
  -- property name → the plugin that may write it
  written_by json not null,
  -- property name → typed value, as applied
  properties jsonb not null,
  verified_at timestamptz not null default clock_timestamp(),
  primary key (bundle_install_id, locator)
);
-- a full locator names at most one installed resource in a scope
create unique index installed_resource_locator on runtime.installed_resource (scope_id, locator);

-- The configuration of a scope as it stands: what was saved, whether or not it was applied yet.
create table runtime.configuration_property (
  scope_id bigint not null references runtime.scope,
  locator text not null,
  property text not null,
  bundle_install_id uuid not null references runtime.installation,
  value jsonb not null,
  snapshot_version bigint not null,
  primary key (scope_id, locator, property)
);
create index configuration_property_installation on runtime.configuration_property (bundle_install_id);

create table runtime.snapshot (
  scope_id bigint not null references runtime.scope,
  snapshot_version bigint not null,
  saved_at timestamptz not null default clock_timestamp(),
  saved_by_id text not null,
  saved_by_name text not null,
  reason text,
  cause text not null check (cause in ('CREATED', 'SAVE', 'INSTALL', 'UPGRADE', 'CONFIGURE', 'DETACH')),
  operation_id uuid,
  primary key (scope_id, snapshot_version)
);

create table runtime.snapshot_change (
  scope_id bigint not null,
  snapshot_version bigint not null,
  locator text not null,
  property text not null,
  is_sensitive boolean not null,
  before jsonb,
  after jsonb,
  primary key (scope_id, snapshot_version, locator, property),
  foreign key (scope_id, snapshot_version) references runtime.snapshot
);
create index snapshot_change_property on runtime.snapshot_change (scope_id, locator, property, snapshot_version desc);

-- An operation; its row is also the queue. `available_at` serves as schedule, lease and recovery:
-- a worker claims what is due, and holds it by moving the time on.
create table runtime.operation (
  operation_id uuid primary key,
  bundle_install_id uuid not null references runtime.installation,
  scope_id bigint not null references runtime.scope,
  environment_key text not null,
  application_runtime_id text not null,
  workspace_id bigint not null,
  bundle_environment_key text not null,
  bundle_id text not null,
  operation_type text not null check (operation_type in ('INSTALL', 'UPGRADE', 'CONFIGURE', 'DETACH')),
  current_version text,
  target_version text not null,
  execution_sequence bigint not null check (execution_sequence > 0),
  run integer not null default 1,
  state text not null check (state in ('PENDING', 'RUNNING', 'WAITING', 'SUCCEEDED', 'FAILED', 'TAKEN_OVER')),
  phase text not null check (phase in ('BEFORE_RESOURCES', 'RESOURCES', 'AFTER_RESOURCES', 'DONE')),
  holds_claim boolean not null default true,
  takes_over uuid references runtime.operation,
  taken_over_by uuid references runtime.operation,
  failure json,
  requested_by_id text not null,
  requested_by_name text not null,
  reason text,
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  finished_at timestamptz,
  next_attempt_at timestamptz,
  available_at timestamptz not null default clock_timestamp(),
  lease_owner text,
  lease_epoch bigint not null default 0,
  unique (bundle_install_id, execution_sequence)
);
-- one claim at most
create unique index operation_claim on runtime.operation (bundle_install_id) where holds_claim;
create index operation_queue on runtime.operation (available_at) where state in ('PENDING', 'RUNNING', 'WAITING');
create index operation_newest on runtime.operation (created_at desc, operation_id desc);
create index operation_state on runtime.operation (state, created_at desc, operation_id desc);
create index operation_scope on runtime.operation
  (environment_key, application_runtime_id, workspace_id, created_at desc, operation_id desc);
create index operation_installation on runtime.operation (bundle_install_id, created_at desc, operation_id desc);

-- What was frozen with the operation: resources, target properties, compiled authorizations of both stages.
create table runtime.operation_plan (
  operation_id uuid primary key references runtime.operation,
  plan json not null
);

-- One call of a plugin in a stage; `request` holds the frozen bytes that every repeat sends.
create table runtime.plugin_call (
  operation_id uuid not null references runtime.operation,
  stage text not null check (stage in ('BEFORE_RESOURCES', 'AFTER_RESOURCES')),
  plugin_id text not null,
  call_order integer not null,
  request bytea,
  outcome text check (outcome in ('NOT_APPLIED', 'APPLIED', 'VERIFIED', 'FAILED', 'UNKNOWN')),
  ended_well boolean not null default false,
  failed boolean not null default false,
  writes json,
  attempts integer not null default 0,
  -- attempts since the current run began: what maxAttempts limits
  run_attempts integer not null default 0,
  last_failure json,
  next_attempt_at timestamptz,
  primary key (operation_id, stage, plugin_id)
);
create index plugin_call_plugin on runtime.plugin_call (plugin_id, operation_id);

-- Each attempt is recorded before its call and after it; sensitive values are masked before they are kept.
create table runtime.attempt (
  operation_id uuid not null,
  stage text not null,
  plugin_id text not null,
  attempt integer not null,
  run integer not null,
  lease_epoch bigint not null,
  late boolean not null default false,
  started_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  outcome text,
  failure json,
  http_status integer,
  response json,
  primary key (operation_id, stage, plugin_id, attempt),
  foreign key (operation_id, stage, plugin_id) references runtime.plugin_call
);

create table runtime.plugin (
  plugin_id text primary key,
  title text not null,
  endpoint text not null,
  enabled boolean not null,
  timeout_ms integer,
  max_attempts integer,
  max_backoff_ms integer,
  updated_at timestamptz not null default clock_timestamp()
);

create table runtime.plugin_credential (
  credential_id uuid primary key,
  plugin_id text not null references runtime.plugin,
  secret_hash bytea not null unique,
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index plugin_credential_plugin on runtime.plugin_credential (plugin_id);

create table runtime.service (
  service_id text primary key,
  title text not null,
  url text not null,
  methods json not null,
  owner_bundle_install_id uuid references runtime.installation,
  owner_locator text,
  consumers jsonb not null,
  enabled boolean not null,
  updated_at timestamptz not null default clock_timestamp()
);

create table runtime.local_service (
  scope_id bigint not null references runtime.scope,
  service_name text not null,
  "values" json not null,
  version bigint not null,
  saved_at timestamptz not null default clock_timestamp(),
  saved_by_id text not null,
  saved_by_name text not null,
  primary key (scope_id, service_name)
);

create table runtime.audit_entry (
  sequence bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  actor_id text not null,
  actor_name text not null,
  action text not null,
  subject text not null,
  environment_key text,
  application_runtime_id text,
  workspace_id bigint,
  bundle_install_id uuid,
  operation_id uuid,
  reason text,
  -- property changes as views: sensitive values are told as set or not set, never kept
  changes json not null,
  outcome text not null check (outcome in ('DONE', 'REFUSED')),
  request_id text not null
);
create index audit_entry_installation on runtime.audit_entry (bundle_install_id, sequence desc);
create index audit_entry_actor on runtime.audit_entry (actor_id, sequence desc);

create table runtime.idempotency (
  actor_id text not null,
  endpoint text not null,
  key text not null,
  request_hash bytea not null,
  -- the envelope that was answered; null while the first request still runs
  answer json,
  created_at timestamptz not null default clock_timestamp(),
  primary key (actor_id, endpoint, key)
);
create index idempotency_age on runtime.idempotency (created_at);

-- What changed, in the transaction of the change. A reader takes only rows whose transaction is older than every
-- running one, in the order (event_xid, event_id): so nothing that commits late is ever skipped.
create table runtime.event (
  event_xid xid8 not null default pg_current_xact_id(),
  event_id bigint generated always as identity,
  kind text not null check (kind in ('operation', 'installation', 'configuration')),
  scope_id bigint not null,
  object_id text not null,
  -- the snapshot version of a configuration; the others are ordered by event_id
  version bigint,
  at timestamptz not null default clock_timestamp(),
  primary key (event_xid, event_id)
);
create index event_age on runtime.event (at);

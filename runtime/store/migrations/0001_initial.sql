-- The runtime's tables. Words are those of the glossary in docs/architecture.md.
-- Typed values are stored as the protocol writes them; json (not jsonb) where the author's text stays as it was.

-- -------- Scopes and versions of bundles --------

-- A scope: the place that bundles are installed into. Its row is the lock of its configuration.
create table runtime.scope (
  scope_id bigint generated always as identity primary key,
  environment_key text not null,
  application_runtime_id text not null,
  workspace_id bigint not null,
  -- what a search compares with each of its words: folding case and joining columns for every scope took most of its time
  path text not null default '',
  snapshot_version bigint not null default 1,
  saved_at timestamptz not null default clock_timestamp(),
  saved_by_id text not null,
  saved_by_name text not null,
  unique (environment_key, application_runtime_id, workspace_id)
);

create function runtime.join_scope_path() returns trigger language plpgsql as $$
begin
  new.path := lower(new.environment_key || '/' || new.application_runtime_id || '/' || new.workspace_id::text);
  return new;
end $$;
create trigger scope_path before insert or update of environment_key on runtime.scope
  for each row execute function runtime.join_scope_path();

-- The order of versions, as in contract/protocol/version-order.ts: semantic versions by number; others are opaque ('0').
create function runtime.version_precedence(version text) returns text
language sql immutable strict parallel safe as $$
  select case
    when version !~ '^v?[0-9]+(\.[0-9]+)*(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$' then '0'
    else coalesce((
        select string_agg('3' || lpad(length(digits)::text, 3, '0') || digits, '' order by place)
        from unnest(string_to_array(substr(regexp_replace(
            '.' || substring(version from '^v?([0-9]+(?:\.[0-9]+)*)'), '(\.0+)+$', ''), 2), '.'))
          with ordinality as part (number, place),
          ltrim(number, '0') as digits), '')
      || case when version !~ '-' then '2' else '1' || (
        select string_agg(
          case when part ~ '^[0-9]+$' then '1' || lpad(length(digits)::text, 3, '0') || digits else '2' || part || '!' end,
          '' order by place)
        from unnest(string_to_array(substring(version from '^[^-]*-(.*)$'), '.')) with ordinality as one (part, place),
          ltrim(part, '0') as digits) end
  end
$$;

create table runtime.bundle_version (
  bundle_environment_key text not null,
  bundle_id text not null,
  version text not null,
  title text not null,
  description text,
  manifest json not null,
  -- triggers compute the next three
  precedence text collate "C" not null default '',
  is_release boolean not null default false,
  properties jsonb not null default '[]',
  published_at timestamptz not null default clock_timestamp(),
  published_by_id text not null,
  published_by_name text not null,
  -- since when it is deprecated, or recalled: never installed again; what was published stays as it is
  standing text check (standing in ('DEPRECATED', 'RECALLED')),
  standing_message text,
  standing_at timestamptz,
  standing_by_id text,
  standing_by_name text,
  primary key (bundle_environment_key, bundle_id, version)
);

-- versions are listed by precedence, and the newest one of a bundle is looked up with every installation
create index bundle_version_order on runtime.bundle_version
  (bundle_environment_key, bundle_id, is_release desc, precedence desc, published_at desc, version desc);
-- the newest version of a bundle is one that is not recalled, unless all are
create index bundle_version_recalled on runtime.bundle_version (bundle_environment_key, bundle_id)
  where standing = 'RECALLED';

create function runtime.order_bundle_version() returns trigger language plpgsql as $$
begin
  new.precedence := runtime.version_precedence(new.version);
  new.is_release := new.version ~ '^v?[0-9]+(\.[0-9]+)*$';
  return new;
end $$;
create trigger bundle_version_ordered before insert or update of version on runtime.bundle_version
  for each row execute function runtime.order_bundle_version();

-- The properties that a version defines, for the search by title: locator, title of the resource, name, title. A manifest
-- that was damaged has none, and is reported where it is used.
create function runtime.manifest_properties(bundle text, manifest json) returns jsonb
language plpgsql immutable as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'locator', bundle || '/' || (resource ->> 'kind') || '/' || (resource ->> 'name'),
      'resource', resource ->> 'title',
      'property', property.key,
      'title', coalesce(nullif(property.value -> 'schema' ->> 'title', ''), property.key))), '[]')
    from pg_catalog.json_array_elements(manifest -> 'resources') as resource
    cross join lateral pg_catalog.json_each(coalesce(resource -> 'properties', '{}')) as property
    where property.key <> 'instanceRefProperty');
exception when data_exception then
  return '[]';
end $$;

create function runtime.find_manifest_properties() returns trigger language plpgsql as $$
begin
  new.properties := runtime.manifest_properties(new.bundle_environment_key || '/' || new.bundle_id, new.manifest);
  return new;
end $$;
create trigger bundle_version_properties before insert or update of version, manifest on runtime.bundle_version
  for each row execute function runtime.find_manifest_properties();

-- The order of an installation in a list: empty without a version; opaque versions follow, by their text.
create function runtime.version_order(version text) returns text
language sql immutable parallel safe as $$
  select case runtime.version_precedence(version) when '0' then '0' || version
    else coalesce(runtime.version_precedence(version), '') end
$$;

-- -------- Installations --------

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
  -- a trigger computes it when the version changes: a generated column would be computed with every operation
  version_order text collate "C" not null default '',
  last_execution_sequence bigint not null default 0,
  -- it is not to be detached or taken over until somebody lifts this
  protected_at timestamptz,
  protected_by_id text,
  protected_by_name text,
  protected_reason text,
  -- the versions to which it can be upgraded: one, or the beginning of some followed by `.x`
  pinned_to text,
  pinned_at timestamptz,
  pinned_by_id text,
  pinned_by_name text,
  pinned_reason text,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
-- at most one installation of a bundle is not DETACHED in one scope
create unique index installation_bundle_once on runtime.installation (scope_id, bundle_environment_key, bundle_id)
  where state <> 'DETACHED';
create index installation_newest on runtime.installation (updated_at desc, bundle_install_id desc);
create index installation_scope on runtime.installation (scope_id, updated_at desc, bundle_install_id desc);
create index installation_bundle on runtime.installation (bundle_id, bundle_install_id);
create index installation_bundle_newest on runtime.installation (bundle_id, updated_at desc, bundle_install_id desc);
-- the page of one property lists the installations of a bundle in the order of their scopes
create index installation_bundle_place on runtime.installation
  (bundle_id, environment_key, application_runtime_id, workspace_id, bundle_install_id) where state = 'ACTIVE';
create index installation_version on runtime.installation
  (version_order desc, updated_at desc, bundle_install_id desc);
create index installation_bundle_version on runtime.installation
  (bundle_id, version_order desc, updated_at desc, bundle_install_id desc);
create index installation_inactive on runtime.installation (state, updated_at desc, bundle_install_id desc)
  where state <> 'ACTIVE';
-- few installations are protected or pinned, and lists show them
create index installation_safeguarded on runtime.installation (updated_at, bundle_install_id)
  where protected_at is not null or pinned_to is not null;
-- people search by what they see of an id: its end
create index installation_tail on runtime.installation (right(bundle_install_id::text, 8));

create function runtime.order_installation() returns trigger language plpgsql as $$
begin
  new.version_order := runtime.version_order(new.version);
  return new;
end $$;
create trigger installation_ordered before insert on runtime.installation
  for each row execute function runtime.order_installation();
create trigger installation_reordered before update of version on runtime.installation
  for each row when (old.version is distinct from new.version) execute function runtime.order_installation();

-- How many installations an environment has in each state: the sum of all rows of a kind. Each change is a row of its
-- own, so that no transaction waits for another; the janitor folds them together.
create table runtime.installation_count (
  environment_key text not null,
  state text not null,
  count bigint not null
);
create index installation_count_environment on runtime.installation_count (environment_key, state);

create function runtime.count_installation() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into runtime.installation_count values (old.environment_key, old.state, -1);
  end if;
  insert into runtime.installation_count values (new.environment_key, new.state, 1);
  return null;
end $$;
create trigger installation_made after insert on runtime.installation
  for each row execute function runtime.count_installation();
create trigger installation_moved after update of state on runtime.installation
  for each row when (old.state <> new.state) execute function runtime.count_installation();

-- How many installations of an environment have each version of a bundle, in each state: the sum of all rows of a kind, as in
-- runtime.installation_count.
create table runtime.version_count (
  environment_key text not null,
  bundle_environment_key text not null,
  bundle_id text not null,
  version text not null,
  state text not null,
  count bigint not null
);

create function runtime.count_version() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.version is not null then
    insert into runtime.version_count
      values (old.environment_key, old.bundle_environment_key, old.bundle_id, old.version, old.state, -1);
  end if;
  if new.version is not null then
    insert into runtime.version_count
      values (new.environment_key, new.bundle_environment_key, new.bundle_id, new.version, new.state, 1);
  end if;
  return null;
end $$;
create trigger installation_version_made after insert on runtime.installation
  for each row execute function runtime.count_version();
create trigger installation_version_moved after update of state, version on runtime.installation
  for each row when (old.state <> new.state or old.version is distinct from new.version)
  execute function runtime.count_version();

-- -------- The ledger and the configuration --------

-- The services that a value refers to. What refers to a service is found with an index, so that the whole configuration of
-- all scopes need not be read.
create function runtime.service_ids(value jsonb) returns text[] language sql immutable parallel safe as $$
  select case value ->> '@type'
    when 'ServiceReference' then array[value ->> 'serviceId']
    when 'ServiceReferenceMap' then array(
      select entry.value ->> 'serviceId' from pg_catalog.jsonb_each(value -> 'valueMap') as entry)
    when 'ServiceReferenceList' then array(
      select entry ->> 'serviceId' from pg_catalog.jsonb_array_elements(value -> 'valueList') as entry)
    else '{}' end
$$;

-- the services that any of the properties refers to
create function runtime.service_ids_of_all(properties jsonb) returns text[] language sql immutable parallel safe as $$
  select array(
    select service_id from pg_catalog.jsonb_each(properties) as property
    cross join lateral pg_catalog.unnest(runtime.service_ids(property.value)) as service_id)
$$;

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
create index installed_resource_services on runtime.installed_resource
  using gin (runtime.service_ids_of_all(properties))
  where jsonb_path_exists(properties, '$.*."@type" ? (@ starts with "ServiceReference")');

-- The configuration of a scope as it stands: what was saved, whether or not it was applied yet.
create table runtime.configuration_property (
  scope_id bigint not null references runtime.scope,
  locator text not null,
  property text not null,
  bundle_install_id uuid not null references runtime.installation,
  value jsonb not null,
  -- The keys of the value in the order in which they were written, because jsonb sorts them: the value with 0 for all that
  -- is not an object or a list. Null if it is the order of jsonb, and if the value is sealed. It says nothing but an order,
  -- so one that is out of date does no harm.
  key_order json,
  -- person, apply:<name>, plugin:<pluginId> or default:<version>
  manager text not null default 'person',
  snapshot_version bigint not null,
  primary key (scope_id, locator, property)
);
create index configuration_property_installation on runtime.configuration_property (bundle_install_id);
create index configuration_property_services on runtime.configuration_property
  using gin (runtime.service_ids(value)) where value ->> '@type' like 'ServiceReference%';

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
-- The people who have saved a scope, one look-up for each; without it, the whole history of the scope is sorted.
create index snapshot_saver on runtime.snapshot (scope_id, saved_by_id, snapshot_version desc) include (saved_by_name);

create table runtime.snapshot_change (
  scope_id bigint not null,
  snapshot_version bigint not null,
  locator text not null,
  property text not null,
  is_sensitive boolean not null,
  before jsonb,
  after jsonb,
  -- null if the change removed the value
  manager text,
  primary key (scope_id, snapshot_version, locator, property),
  foreign key (scope_id, snapshot_version) references runtime.snapshot
);
create index snapshot_change_property on runtime.snapshot_change (scope_id, locator, property, snapshot_version desc);

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

-- The domains of gateways. A domain belongs to one property of one gateway in its environment, from the acceptance of
-- the operation that sets it.
create table runtime.gateway_domain (
  environment_key text not null,
  -- in lower case
  domain text not null,
  bundle_install_id uuid not null references runtime.installation,
  locator text not null,
  property text not null,
  primary key (environment_key, domain)
);
create index gateway_domain_installation on runtime.gateway_domain (bundle_install_id);

-- A detached installation holds no domains.
create function runtime.release_domains() returns trigger language plpgsql as $$
begin
  delete from runtime.gateway_domain where bundle_install_id = new.bundle_install_id;
  return null;
end $$;
create trigger installation_release_domains after update of state on runtime.installation
  for each row when (new.state = 'DETACHED') execute function runtime.release_domains();

-- When a property of a scope was last marked as sensitive, by an INSTALL or UPGRADE to a version that defines it so.
-- Older operations and audit entries keep its values as they were; they are masked on read.
create table runtime.sensitive_mark (
  scope_id bigint not null references runtime.scope,
  locator text not null,
  property text not null,
  marked_at timestamptz not null default clock_timestamp(),
  primary key (scope_id, locator, property)
);

-- -------- Operations --------

-- An operation; its row is also the queue. `available_at` serves as schedule, lease and recovery: a worker leases what is due,
-- and holds it by moving the time on.
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
  -- the key of the failure's cause; a trigger computes it
  cause_id text,
  requested_by_id text not null,
  requested_by_name text not null,
  reason text,
  -- it was started, or retried, in spite of a restriction, by a person with the permission for that
  overridden boolean not null default false,
  -- the change request that started it
  change_request_id uuid,
  -- the person who works on the operation; both null if nobody does
  assignee_id text,
  assignee_name text,
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  -- the time of work does not include the time between runs, when nothing happened
  run_started_at timestamptz,
  earlier_runs_ms bigint not null default 0,
  finished_at timestamptz,
  next_attempt_at timestamptz,
  available_at timestamptz not null default clock_timestamp(),
  -- the plugin that an unfinished operation calls next, empty where it is not known: so that a worker finds what it can do
  -- now without looking at the thousands that may wait for a plugin which does not answer
  next_plugin text not null default '',
  lease_owner text,
  lease_epoch bigint not null default 0,
  -- when an operation that was in progress became doubtful: its plugins may have seen later ones
  in_doubt_since timestamptz,
  unique (bundle_install_id, execution_sequence),
  -- so that the operations that a worker holds are found by their owner alone
  constraint operation_owner check (lease_owner is null or state = 'RUNNING'),
  -- a value that the runtime cannot read (an infinite time, a number beyond 2^53) would fail all that is leased with it
  constraint operation_readable check (
    isfinite(created_at) and isfinite(started_at) and isfinite(finished_at) and isfinite(next_attempt_at)
    and isfinite(available_at)
    and execution_sequence <= 9007199254740991 and lease_epoch between 0 and 9007199254740991)
)
-- An operation changes several times within a second. Where a new version finds room on the page of the old one, and no
-- index has what changed, it costs no entry in any index. The default of autovacuum waits until a fifth of a table is dead.
with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);

-- One claim at most. Claims are counted, and installations found by them, in this index itself: it has the few operations that
-- are open, and an entry more of them whenever their state changes anyway.
create unique index operation_claim on runtime.operation (bundle_install_id)
  include (state, operation_type, environment_key, scope_id) where holds_claim;
-- nearly all that is FAILED holds its claim: taken as independent, the two would look like a handful
create statistics runtime.operation_claim_states (mcv) on state, holds_claim from runtime.operation;

-- Lists and counts at a million installations and ten million operations. The row of an operation changes several times in
-- its life, and each change costs an entry in every full index: so what only few operations are (failed, unfinished, taken
-- over) is in partial ones, and what never changes is indexed on the plan's row, which is written once.
create index operation_queue_of_plugin on runtime.operation (next_plugin, available_at)
  where state in ('PENDING', 'RUNNING', 'WAITING');
create index operation_newest on runtime.operation (created_at desc, operation_id desc);
create index operation_scope on runtime.operation (scope_id, created_at desc, operation_id desc);
create index operation_requester on runtime.operation (requested_by_id, created_at desc, operation_id desc);
create index operation_bundle on runtime.operation (bundle_id, created_at desc, operation_id desc);
create index operation_assignee on runtime.operation (assignee_id, created_at desc, operation_id desc)
  where assignee_id is not null;
-- what is not well: all that is counted is in the index itself
create index operation_unsettled on runtime.operation
  (created_at desc, operation_id desc, state, operation_type, environment_key, scope_id)
  where state <> 'SUCCEEDED';
-- The code of the last attempt, where an earlier attempt of the run has an unknown result: lists show it and filter by it, because
-- PLUGIN_RESULT_UNKNOWN says nothing about the cause.
create index operation_shown_error on runtime.operation
  (coalesce(failure ->> 'attemptCode', failure ->> 'errorCode'), created_at desc, operation_id desc)
  where failure is not null;
-- the list by the time they ended or failed, and retention
create index operation_ended on runtime.operation (finished_at, operation_id) where finished_at is not null;
create index operation_unsettled_ended on runtime.operation (finished_at, operation_id)
  where state <> 'SUCCEEDED' and finished_at is not null;
create index operation_in_doubt on runtime.operation (in_doubt_since) where in_doubt_since is not null and holds_claim;
-- for the foreign keys: without them, each deletion of an operation would read the whole table
create index operation_takes_over on runtime.operation (takes_over) where takes_over is not null;
create index operation_taken_over_by on runtime.operation (taken_over_by) where taken_over_by is not null;

-- Everyone who has requested an operation, for the search by name.
create table runtime.requester (
  requested_by_id text not null,
  requested_by_name text not null,
  primary key (requested_by_id, requested_by_name)
);

create function runtime.know_requester() returns trigger language plpgsql as $$
begin
  insert into runtime.requester values (new.requested_by_id, new.requested_by_name) on conflict do nothing;
  return null;
end $$;
create trigger operation_requester after insert on runtime.operation
  for each row execute function runtime.know_requester();

-- How many operations an environment made in an hour that is over; the janitor adds hours, and whatever is younger than
-- `counted_until` is counted in the operations themselves.
create table runtime.operation_total (
  environment_key text not null,
  hour timestamptz not null,
  total bigint not null,
  primary key (environment_key, hour)
);
create table runtime.operation_counted (
  only_row boolean primary key default true check (only_row),
  counted_until timestamptz not null
);
insert into runtime.operation_counted (counted_until) values (date_trunc('hour', clock_timestamp(), 'UTC') - interval '1 hour');

-- What was frozen with the operation: resources, target properties, compiled authorizations of both stages.
create table runtime.operation_plan (
  operation_id uuid primary key references runtime.operation,
  plan json not null
) with (autovacuum_vacuum_scale_factor = 0.05);
-- people search by what they see of an id: its end
create index operation_plan_tail on runtime.operation_plan (right(operation_id::text, 8));

-- One call of a plugin in a stage; `request` holds the frozen bytes that every attempt sends.
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
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index plugin_call_plugin on runtime.plugin_call (plugin_id, operation_id);

-- Each attempt is recorded before its call and after it; sensitive values are masked before they are stored.
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
  -- What the head of a response tells besides its status: some headers of one that could not be used, how long the plugin asked to
  -- wait, and how far its clock is behind. Null if it tells nothing.
  wire json,
  -- the plugin was retired, so the platform answered the attempt itself and sent nothing
  by_platform boolean not null default false,
  -- How the time was spent, null for what was not measured: when the call could be made, because a back-off ended, the call
  -- before it was recorded, or the run was requested;
  due_at timestamptz,
  -- and milliseconds since the worker held the attempt, by its own monotonic clock.
  sent_ms double precision,
  connected_ms double precision,
  answered_ms double precision,
  ended_ms double precision,
  primary key (operation_id, stage, plugin_id, attempt),
  foreign key (operation_id, stage, plugin_id) references runtime.plugin_call
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05);
-- The health of a plugin reads its newest attempts in a range of time. No column here changes when an attempt ends, so that
-- update stays a heap-only one.
create index attempt_plugin on runtime.attempt (plugin_id, started_at);

-- Who retried an operation and why, and how the run before it had ended.
create table runtime.operation_retry (
  operation_id uuid not null references runtime.operation,
  -- the run that the retry started
  run integer not null,
  started_at timestamptz not null default clock_timestamp(),
  started_by_id text not null,
  started_by_name text not null,
  reason text,
  -- of the run before
  failure json,
  failed_at timestamptz,
  primary key (operation_id, run)
);

create table runtime.operation_note (
  operation_id uuid not null references runtime.operation,
  -- from 1, without gaps
  number int not null,
  author_id text not null,
  author_name text not null,
  at timestamptz not null default clock_timestamp(),
  text text not null,
  primary key (operation_id, number)
);

-- -------- Causes --------

-- Failures with the same cause, over all bundles and installations: the same plugin, code and shape of the message, and the same
-- next step. A cause is worked on by a person, and is remembered when none of its operations is failed any more.

-- Workers write causes in the statement that writes an operation, and must not wait there for the transaction of a person, nor for
-- each other. What somebody else has locked is left pending, and applied a few seconds later. Every replica looks for it.

-- The message without what differs between operations: quoted values, addresses, identifiers, and numbers with their units.
-- Not what the database takes for a letter or a digit, because that depends on its locale. docs/runtime-api.md#causes
create function runtime.failure_shape(message text) returns text
  language plpgsql immutable strict set search_path = '' as $$
declare
  word constant text := '[A-Za-z0-9_\u00c0-\u024f\u0370-\u03ff\u0400-\u04ff]';
  shape text := message;
begin
  -- the digits of other scripts
  shape := regexp_replace(shape, '[\u0660-\u0669\u06f0-\u06f9\u07c0-\u07c9\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0b66-\u0b6f\u0be6-\u0bef\u0c66-\u0c6f\u0ce6-\u0cef\u0d66-\u0d6f\u0de6-\u0def\u0e50-\u0e59\u0ed0-\u0ed9\u0f20-\u0f29\u1040-\u1049\u1090-\u1099\u17e0-\u17e9\u1810-\u1819\uff10-\uff19]', '0', 'g');
  shape := regexp_replace(shape, '[〇零一二三四五六七八九十百千万亿两]+(?=[个次秒分钟小时天元条件名位台项年月日号])', '0', 'g');
  shape := regexp_replace(shape, '"[^"]*"|“[^”]*”|„[^“”]*[“”]|‘[^’]*’|«[^»]*»|`[^`]*`|「[^」]*」|『[^』]*』|(?<!' || word || ')''[^'']*''(?!' || word || ')', '…', 'g');
  shape := regexp_replace(shape, '[A-Za-z][A-Za-z0-9+.-]*://[!-~\u00a1-\u024f]*[A-Za-z0-9/_~=&-]|[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*', '…', 'g');
  -- IPv6 and MAC addresses, and times
  shape := regexp_replace(shape, '(?<![0-9A-Za-z:])[0-9A-Fa-f]{0,4}(:[0-9A-Fa-f]{0,4}){2,7}(?![0-9A-Za-z:])', '0', 'g');
  -- a UUID, or a part of one: groups without a digit belong to it
  shape := regexp_replace(shape, '(?<![0-9A-Za-z])[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?![0-9A-Za-z])', '0', 'g');
  shape := regexp_replace(shape, '(?<![0-9A-Za-z_-])(?=[A-Fa-f-]*[0-9])[0-9A-Fa-f]{2,}(-[0-9A-Fa-f]{2,})+-?(?![0-9A-Za-z_-])', '0', 'g');
  shape := regexp_replace(shape, '(?<!' || word || ')([0-9a-f]{8,}|[0-9A-F]{8,})(?!' || word || ')', '0', 'g');
  -- signed tokens, padded base64, and long identifiers of mixed characters
  shape := regexp_replace(shape, 'eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*|(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{4})+([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)(?![A-Za-z0-9=])', '0', 'g');
  shape := regexp_replace(shape, '(?<![A-Za-z0-9+/_-])(?=[A-Za-z+/_-]*[0-9])(?=[A-Za-z0-9+/_-]{20})([A-Za-z0-9+/_-]*([a-z][A-Z]|[A-Z][a-z]|[0-9][A-Za-z]|[A-Za-z][0-9])){6}[A-Za-z0-9+/_-]*', '0', 'g');
  shape := regexp_replace(shape, word || '*[0-9]' || word || '*', '#', 'g');
  shape := regexp_replace(shape, '#([-.:/,+\u066b\u066c]#)+', '#', 'g');
  shape := regexp_replace(shape, '(^|[[:space:](=])[-+−±]#', '\1#', 'g');
  shape := regexp_replace(shape, '#[ \u00a0]?(µs|μs|ms|s|secs?|seconds?|min|mins|minutes?|h|hrs?|hours?|d|days?|[KkMGT]i?B|B|bytes?|%|€|\$|£|¥|°C|毫秒|秒|分钟|分|小时|天|字节)(?!' || word || ')', '#', 'g');
  shape := regexp_replace(shape, '# (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? #', '#', 'g');
  -- lists of any length
  shape := regexp_replace(regexp_replace(shape, '#([-.:/,+、，]?[ ]?#)+', '#', 'g'), '…(([,、，]| and|和)?[ ]?…)+', '…', 'g');
  return btrim(regexp_replace(shape, '[[:space:]]+', ' ', 'g'));
end $$;

create table runtime.cause (
  cause_id text primary key,
  -- null if the runtime itself failed
  plugin_id text,
  -- of the last attempt
  error_code text not null,
  -- of the messages of its failures
  shape text not null,
  state text not null default 'NEW' check (state in ('NEW', 'TAKEN', 'WAITING', 'SOLVED')),
  assignee_id text,
  assignee_name text,
  -- whom or what it waits for
  waiting_for text,
  -- when the present failures began; earlier ones are what is remembered
  opened_at timestamptz not null,
  -- the first success after a retry, or when a person said so; before opened_at it is what is remembered
  solved_at timestamptz,
  solved_by json,
  updated_at timestamptz not null default clock_timestamp()
);
create index cause_state on runtime.cause (state);
create index cause_assignee on runtime.cause (assignee_id) where assignee_id is not null;

create table runtime.cause_note (
  cause_id text not null references runtime.cause,
  -- from 1, without gaps
  number int not null,
  author_id text not null,
  author_name text not null,
  at timestamptz not null default clock_timestamp(),
  text text not null,
  primary key (cause_id, number)
);

-- Each failure of an operation; one that is retried can fail again. It stays when the operation is removed. A row of a scope or a
-- cause is never deleted, and checking that it exists would lock it: so nothing here references one.
create table runtime.cause_failure (
  operation_id uuid not null,
  run integer not null,
  cause_id text not null,
  scope_id bigint not null,
  environment_key text not null,
  failed_at timestamptz not null,
  pending boolean not null default false,
  primary key (operation_id, run)
);
create index cause_failure_cause on runtime.cause_failure (cause_id, failed_at, scope_id, environment_key, operation_id);
create index cause_failure_scope on runtime.cause_failure (scope_id);
create index cause_failure_pending on runtime.cause_failure (cause_id, operation_id, run) where pending;

-- everything that the counts of causes read
create index operation_cause on runtime.operation
  (cause_id, finished_at, operation_id, scope_id, environment_key, bundle_environment_key, bundle_id) where state = 'FAILED';

-- The key of a cause. The reason, the status, `retryable`, `readsWrites` and `refusedHere` decide who acts next, which is the same
-- for the whole cause; that a person stopped the automatic retries does not.
create function runtime.cause_of(failure json) returns text
  language sql immutable set search_path = ''
  return left(encode(sha256(convert_to(jsonb_build_array(
    failure -> 'errorPath' ->> 1,
    coalesce(failure ->> 'attemptCode', failure ->> 'errorCode'),
    failure ->> 'retryable',
    failure -> 'parameters' ->> 'reason',
    failure -> 'parameters' ->> 'status',
    failure -> 'readsWrites' is not null,
    failure -> 'refusedHere' ->> 'rule',
    runtime.failure_shape(failure ->> 'message'))::text, 'UTF8')), 'hex'), 32);

create function runtime.set_cause() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- a failure that is only masked keeps its cause
  if tg_op = 'UPDATE' and old.cause_id is not null and old.failure is not null
    and new.run = old.run and new.state = old.state then
    return new;
  end if;
  new.cause_id = runtime.cause_of(new.failure);
  return new;
end $$;
create trigger operation_cause before insert or update of failure on runtime.operation
  for each row when (new.failure is not null) execute function runtime.set_cause();

-- Whether a failure makes a known cause new: it was solved, or had not occurred for an hour.
create function runtime.begins_again(known runtime.cause, failed_operation uuid, failed_run integer, ended_at timestamptz)
  returns boolean
  language sql stable set search_path = ''
  return (known).state = 'SOLVED' or (
    (known).opened_at < ended_at - interval '1 hour'
    and not exists (
      select from runtime.operation as other
      where other.cause_id = (known).cause_id and other.state = 'FAILED' and other.operation_id <> failed_operation)
    and not exists (
      select from runtime.cause_failure as earlier where earlier.cause_id = (known).cause_id
        and (earlier.operation_id, earlier.run) <> (failed_operation, failed_run)
        and (earlier.failed_at >= ended_at - interval '1 hour' or earlier.operation_id = failed_operation)));

-- Creates the cause of a failure, or makes it new again. Returns false, and changes nothing, if somebody else is creating or changing
-- it. The row of a cause that stays as it is is not written: thousands of operations can fail at once.
create function runtime.open_cause(
  key text, failed_operation uuid, failed_run integer, failure json, ended_at timestamptz) returns boolean
  language plpgsql set search_path = '' as $$
declare
  known runtime.cause;
begin
  select * into known from runtime.cause where cause.cause_id = key;
  if not found then
    -- an insert would wait for another one of the same cause
    if not pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended('bundle-console cause ' || key, 0)) then
      return false;
    end if;
    insert into runtime.cause (cause_id, plugin_id, error_code, shape, opened_at)
    values (key, failure -> 'errorPath' ->> 1, coalesce(failure ->> 'attemptCode', failure ->> 'errorCode'),
      runtime.failure_shape(failure ->> 'message'), ended_at)
    on conflict do nothing;
    if found then
      return true;
    end if;
  elsif not runtime.begins_again(known, failed_operation, failed_run, ended_at) then
    -- nobody is changing it, and nobody can until this failure is committed: it is not solved without it
    select * into known from runtime.cause where cause.cause_id = key for share skip locked;
    if not found then
      return false;
    elsif not runtime.begins_again(known, failed_operation, failed_run, ended_at) then
      return true;
    end if;
  end if;
  select * into known from runtime.cause where cause.cause_id = key for no key update skip locked;
  if not found then
    return false;
  end if;
  if runtime.begins_again(known, failed_operation, failed_run, ended_at) then
    update runtime.cause set
      opened_at = ended_at,
      state = case when state = 'SOLVED' then 'NEW' else state end,
      assignee_id = case when state = 'SOLVED' then null else assignee_id end,
      assignee_name = case when state = 'SOLVED' then null else assignee_name end,
      updated_at = clock_timestamp()
    where cause.cause_id = key;
  end if;
  return true;
end $$;

-- Remembers a failure.
create function runtime.remember_failure(failed runtime.operation) returns void
  language plpgsql set search_path = '' as $$
declare
  ended_at constant timestamptz := coalesce(failed.finished_at, clock_timestamp());
  is_open constant boolean := runtime.open_cause(
    failed.cause_id, failed.operation_id, failed.run, failed.failure, ended_at);
begin
  insert into runtime.cause_failure (operation_id, run, cause_id, scope_id, environment_key, failed_at, pending)
  values (failed.operation_id, failed.run, failed.cause_id, failed.scope_id, failed.environment_key, ended_at, not is_open)
  on conflict do nothing;
end $$;

create function runtime.operation_failed() returns trigger
  language plpgsql set search_path = '' as $$
begin
  perform runtime.remember_failure(new);
  return null;
end $$;
create trigger operation_failed after update of state on runtime.operation
  for each row when (new.state = 'FAILED' and old.state <> 'FAILED' and new.cause_id is not null)
  execute function runtime.operation_failed();

-- A cause ends too when its last failure was taken over: by the DETACH that succeeded, or better by the INSTALL of the same bundle in
-- the same scope that succeeds after it. What follows finds the failures that such a success may end; few operations are taken over.
create index operation_taken_over on runtime.operation (scope_id, bundle_id, bundle_environment_key) where state = 'TAKEN_OVER';

-- The failures of what was taken over before an operation succeeded, as far as they are among the present ones of their causes.
create function runtime.taken_over_before(succeeded runtime.operation) returns setof runtime.cause_failure
  language sql stable set search_path = '' as $$
  select failure.* from runtime.operation as taken
  join runtime.cause_failure as failure on failure.operation_id = taken.operation_id
  join runtime.cause on cause.cause_id = failure.cause_id and cause.opened_at <= failure.failed_at
  where taken.state = 'TAKEN_OVER' and taken.scope_id = (succeeded).scope_id and taken.bundle_id = (succeeded).bundle_id
    and taken.bundle_environment_key = (succeeded).bundle_environment_key
    and ((succeeded).operation_type = 'INSTALL'
      or ((succeeded).takes_over is not null and taken.bundle_install_id = (succeeded).bundle_install_id))
$$;

-- Records what solved a cause: the first success after a retry; of what was taken over, a later INSTALL, or the DETACH if no operation is
-- failed with the cause any more. A cause is solved once no operation is failed with it. Returns false, and changes nothing, if somebody
-- else is changing the cause.
create function runtime.solve_cause(key text, succeeded runtime.operation) returns boolean
  language plpgsql set search_path = '' as $$
declare
  known runtime.cause;
  is_last boolean;
  is_install constant boolean := succeeded.operation_type = 'INSTALL';
  is_retry constant boolean := succeeded.run > 1 and exists (
    select from runtime.cause_failure as own where own.operation_id = succeeded.operation_id and own.cause_id = key);
  is_better boolean;
begin
  select * into known from runtime.cause where cause.cause_id = key for no key update skip locked;
  if not found then
    return not exists (select from runtime.cause where cause.cause_id = key);
  end if;
  is_last := not exists (
    select from runtime.operation
    where operation.cause_id = key and (operation.state = 'FAILED'
      or (operation.state in ('PENDING', 'RUNNING', 'WAITING') and operation.run > 1)));
  if known.solved_at is null or known.solved_at < known.opened_at then
    is_better := is_retry or is_install or is_last;
  else
    -- an INSTALL says more than the DETACH that made room for it; what a person or a retry did says more than either
    is_better := is_install and not is_retry and exists (
      select from runtime.operation as detach
      where detach.operation_id = (known.solved_by ->> 'operationId')::uuid and detach.operation_type = 'DETACH'
        and detach.takes_over is not null);
  end if;
  update runtime.cause set
    solved_at = case when is_better then coalesce(succeeded.finished_at, clock_timestamp()) else solved_at end,
    solved_by = case when not is_better then solved_by else (
      select json_build_object(
        'operationId', succeeded.operation_id, 'run', succeeded.run,
        'reason', case when is_retry then retry.reason else succeeded.reason end,
        'by', json_build_object('id', coalesce(retry.started_by_id, succeeded.requested_by_id),
          'name', coalesce(retry.started_by_name, succeeded.requested_by_name)),
        'scope', json_build_object('environmentKey', succeeded.environment_key,
          'applicationRuntimeId', succeeded.application_runtime_id, 'workspaceId', succeeded.workspace_id))
      from (select 1) as one left join runtime.operation_retry as retry
        on is_retry and retry.operation_id = succeeded.operation_id and retry.run = succeeded.run) end,
    state = case when is_last then 'SOLVED' else state end,
    waiting_for = case when is_last then null else waiting_for end,
    updated_at = clock_timestamp()
  where cause.cause_id = key and (is_better or (is_last and state <> 'SOLVED'));
  return true;
end $$;

create function runtime.operation_recovered() returns trigger
  language plpgsql set search_path = '' as $$
declare
  ended record;
begin
  for ended in
    select failed.cause_id, array_agg(failed.operation_id) as operation_ids
    from (
      select cause_id, operation_id from runtime.cause_failure
      where cause_failure.operation_id = new.operation_id and new.run > 1
      union
      select cause_id, operation_id from runtime.taken_over_before(new)
    ) as failed
    group by failed.cause_id order by failed.cause_id
  loop
    if not runtime.solve_cause(ended.cause_id, new) then
      update runtime.cause_failure set pending = true
      where cause_failure.operation_id = any(ended.operation_ids) and cause_failure.cause_id = ended.cause_id;
    end if;
  end loop;
  return null;
end $$;
create trigger operation_recovered after update of state on runtime.operation
  for each row when (new.state = 'SUCCEEDED' and old.state <> 'SUCCEEDED'
    and (new.run > 1 or new.operation_type = 'INSTALL' or new.takes_over is not null))
  execute function runtime.operation_recovered();

-- Applies failures and successes that were left pending, each if nobody holds its cause. Returns how many; at most `most`.
create function runtime.settle_causes(most integer) returns integer
  language plpgsql set search_path = '' as $$
declare
  noted runtime.cause_failure;
  ended runtime.operation;
  solution runtime.operation;
  failure json;
  settled integer := 0;
begin
  for noted in
    select * from runtime.cause_failure where pending
    order by cause_id, operation_id, run limit most for no key update skip locked
  loop
    select * into ended from runtime.operation where operation.operation_id = noted.operation_id;
    failure := coalesce(
      (select retry.failure from runtime.operation_retry as retry
        where retry.operation_id = noted.operation_id and retry.run = noted.run + 1),
      ended.failure);
    if failure is not null
      and ((ended.state = 'FAILED' and ended.run = noted.run)
        or not exists (select from runtime.cause where cause.cause_id = noted.cause_id))
      and not runtime.open_cause(noted.cause_id, noted.operation_id, noted.run, failure, noted.failed_at) then
      continue;
    end if;
    solution := ended;
    if ended.state = 'TAKEN_OVER' then
      -- the INSTALL after it, or else the DETACH
      select * into solution from runtime.operation as later
      where later.state = 'SUCCEEDED' and later.scope_id = ended.scope_id and later.bundle_id = ended.bundle_id
        and later.bundle_environment_key = ended.bundle_environment_key and later.created_at > ended.created_at
        and (later.operation_type = 'INSTALL'
          or (later.takes_over is not null and later.bundle_install_id = ended.bundle_install_id))
      order by later.operation_type = 'INSTALL' desc, later.created_at limit 1;
    end if;
    if solution.state = 'SUCCEEDED' and (solution.run > 1 or ended.state = 'TAKEN_OVER')
      and not runtime.solve_cause(noted.cause_id, solution) then
      continue;
    end if;
    update runtime.cause_failure set pending = false
    where cause_failure.operation_id = noted.operation_id and cause_failure.run = noted.run;
    settled := settled + 1;
  end loop;
  return settled;
end $$;

-- -------- The search for words in operations --------

-- The words of an operation: the message and the code of its failure, the plugin and the services of its error path, reasons
-- and notes. Failures of earlier runs are left out: they are masked when they are read, and a search must not find what is
-- masked. They are in a separate table, because the row of an operation changes several times in its life and each change
-- would cost entries in the index. Triggers fill the table.

-- Punctuation separates words, and each Chinese or Japanese character is a word, because nothing separates them.
create function runtime.spaced(text text) returns text
  language sql immutable strict parallel safe set search_path = ''
  return btrim(regexp_replace(
    regexp_replace(lower(text), '[\u0001-\u002f\u003a-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]+', ' ', 'g'),
    '([\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])', ' \1 ', 'g'));

create function runtime.words(text text) returns tsvector
  language sql immutable strict parallel safe set search_path = ''
  return to_tsvector('pg_catalog.simple'::regconfig, runtime.spaced(left(text, 100000)));

-- Finds texts with all words of the search. The parts of a word, such as INC-4711, follow each other; from three characters
-- on, the last part may be the beginning of a longer one. Null if the search has no words.
create function runtime.words_query(search text) returns tsquery
  language sql immutable strict parallel safe set search_path = ''
  return (
    select to_tsquery('pg_catalog.simple'::regconfig, string_agg(
      '(' || regexp_replace(parts, ' +', ' <-> ', 'g') || case when parts ~ '[^ ]{3}$' then ':*' else '' end || ')', ' & '))
    from (select runtime.spaced(word) as parts from regexp_split_to_table(search, '\s+') as word) as split
    where parts <> '');

create table runtime.operation_text (
  operation_id uuid primary key references runtime.operation on delete cascade,
  -- of the operation
  created_at timestamptz not null,
  words tsvector not null
);

-- frequent words are read in the order of the list until the page is full, rare ones from the index
create index operation_text_newest on runtime.operation_text (created_at desc, operation_id desc);
create index operation_text_words on runtime.operation_text using gin (words) with (fastupdate = off);

-- The runtime itself is in every error path.
create function runtime.words_of(of runtime.operation) returns tsvector
  language sql stable parallel safe set search_path = ''
  return runtime.words(concat_ws(e'\n', of.reason, of.failure ->> 'message', of.failure -> 'stopped' ->> 'reason',
    of.failure ->> 'errorCode', of.failure ->> 'attemptCode',
    (select string_agg(service, e'\n' order by position)
      from json_array_elements_text(
        case json_typeof(of.failure -> 'errorPath') when 'array' then of.failure -> 'errorPath' else '[]'::json end)
        with ordinality as path (service, position)
      where service <> 'bundle-runtime'),
    (select string_agg(reason, e'\n' order by run)
      from runtime.operation_retry where operation_retry.operation_id = of.operation_id),
    (select string_agg(text, e'\n' order by number)
      from runtime.operation_note where operation_note.operation_id = of.operation_id)));

create function runtime.store_words() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.operation_text
    select operation_id, created_at, runtime.words_of(operation)
    from runtime.operation where operation_id = new.operation_id
  on conflict (operation_id) do update set words = excluded.words;
  return null;
end $$;
create trigger operation_words_of_reason after insert on runtime.operation
  for each row when (new.reason is not null) execute function runtime.store_words();
create trigger operation_words_of_failure after update of failure on runtime.operation
  for each row when (new.failure::text is distinct from old.failure::text) execute function runtime.store_words();
create trigger operation_words_of_retry after insert on runtime.operation_retry
  for each row execute function runtime.store_words();
create trigger operation_words_of_note after insert on runtime.operation_note
  for each row execute function runtime.store_words();

-- At most this many of the operations with the words of the query, in no order; always from the index, because the planner takes
-- rare words for frequent ones. Looking up a frequent word in the index reads all operations that have it, also if the other
-- words are rare. So the index is asked for the rare words only, and the texts that it finds are compared with the whole
-- query; `||` keeps that from the index.
create function runtime.find_words(query tsquery, rare tsquery, most integer) returns setof uuid
  language sql stable set enable_seqscan = off
  as $$select operation_id from runtime.operation_text where words @@ rare and (words || '') @@ query limit most$$;

-- The words of a value: its texts and numbers, at any depth. A sealed value has none, and a value is sealed as soon as its property
-- is sensitive, so that a search never finds what is masked.
create function runtime.value_words(value jsonb) returns tsvector
  language sql immutable strict parallel safe set search_path = ''
  return case when value -> 'isSensitive' is null then runtime.words((
    select string_agg(part #>> '{}', e'\n')
    from jsonb_path_query(value, 'strict $.value.** ? (@.type() == "string" || @.type() == "number")', '{}', true) as part)) end;
create index configuration_property_words on runtime.configuration_property using gin (runtime.value_words(value))
  where value ->> '@type' = 'Data';

-- The installations of some properties with the word in their value; an installation occurs once for each of them. A limit of
-- installations cannot be told from one of properties here: one installation with many would hide the others.
create function runtime.find_values(query tsquery, most integer) returns setof uuid
  language sql stable set enable_seqscan = off
  as $$select bundle_install_id from runtime.configuration_property
    where value ->> '@type' = 'Data' and runtime.value_words(value) @@ query limit most$$;

-- -------- Plugins and services --------

create table runtime.plugin (
  plugin_id text primary key,
  title text not null,
  endpoint text not null,
  enabled boolean not null,
  timeout_ms integer,
  max_attempts integer,
  max_backoff_ms integer,
  -- that runs at the endpoint, as registered; null if it is not known
  version text,
  -- the team that is responsible for the plugin, and where to reach it
  owner_team text,
  owner_contact text,
  -- what the people who run it say about its error codes, and where its logs and traces are
  runbooks json not null default '[]',
  logs_link text,
  traces_link text,
  -- it is gone for good: the platform answers its DETACH calls, and nothing else calls it
  retired_at timestamptz,
  retired_by_id text,
  retired_by_name text,
  retired_reason text,
  updated_at timestamptz not null default clock_timestamp(),
  constraint plugin_owner check (owner_contact is null or owner_team is not null)
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

-- Since when a plugin has had each of its endpoints, to compare its calls before and after a change.
create table runtime.plugin_endpoint (
  plugin_id text not null references runtime.plugin,
  since timestamptz not null default clock_timestamp(),
  endpoint text not null,
  primary key (plugin_id, since)
);

create function runtime.record_endpoint() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.plugin_endpoint (plugin_id, endpoint) values (new.plugin_id, new.endpoint);
  return null;
end $$;
create trigger plugin_registered after insert on runtime.plugin
  for each row execute function runtime.record_endpoint();
create trigger plugin_endpoint_changed after update of endpoint on runtime.plugin
  for each row when (old.endpoint <> new.endpoint) execute function runtime.record_endpoint();

-- What the list of reports shows.
create function runtime.report_summary(report jsonb) returns jsonb language sql immutable parallel safe as $$
  select jsonb_build_object(
    'complete', coalesce((report ->> 'complete')::boolean, false),
    'checkerVersion', report ->> 'checkerVersion',
    'startedAt', report ->> 'startedAt',
    'docsUrl', report ->> 'docsUrl',
    'totals', jsonb_build_object(
      'PASSED', count(*) filter (where status = 'PASSED'),
      'FAILED', count(*) filter (where status = 'FAILED'),
      'BLOCKED', count(*) filter (where status = 'BLOCKED'),
      'NOT_TESTED', count(*) filter (where status = 'NOT_TESTED')
    )
  )
  from jsonb_to_recordset(report -> 'cases') as one (status text)
$$;

-- The last report of plugin-check for each version of a plugin. `report` is without the exchanges of its cases.
create table runtime.plugin_report (
  plugin_id text not null references runtime.plugin,
  version text not null,
  passed boolean not null,
  report jsonb not null,
  digest text not null,
  uploaded_at timestamptz not null default clock_timestamp(),
  uploaded_by_id text not null,
  uploaded_by_name text not null,
  summary jsonb not null generated always as (runtime.report_summary(report)) stored,
  primary key (plugin_id, version)
);

-- What an environment does with operations that call a plugin version without a passing report. Without a row: IGNORE.
create table runtime.plugin_policy (
  environment_key text primary key,
  policy text not null check (policy in ('IGNORE', 'WARN', 'REFUSE'))
);

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

-- What this platform refused plugins that read from it, so that a failure which such a plugin passes on can be explained. One row for
-- what is the same, with the first and the last time; the janitor removes old ones.
create table runtime.plugin_refusal (
  plugin_id text not null,
  endpoint text not null,
  rule text not null,
  -- the error code that the plugin got
  code text not null,
  -- null if there is no such installation, or the credential alone was refused
  bundle_install_id uuid,
  -- null if the installation has no such resource or property
  locator text,
  property text,
  -- the service that could not be used
  service_id text,
  first_at timestamptz not null default clock_timestamp(),
  last_at timestamptz not null default clock_timestamp(),
  refusals bigint not null,
  unique nulls not distinct (plugin_id, endpoint, rule, bundle_install_id, locator, property, service_id)
);
-- of one plugin during an attempt, and the oldest of all
create index plugin_refusal_plugin on runtime.plugin_refusal (plugin_id, last_at);
create index plugin_refusal_last on runtime.plugin_refusal (last_at);

-- What this platform answered plugins that read from it: one row a minute for what is the same. The janitor removes old ones.
create table runtime.plugin_read (
  plugin_id text not null,
  endpoint text not null,
  -- all three null if a plugin reads so much that not each installation can have its row
  bundle_install_id uuid,
  -- null for a read that names no resource and property
  locator text,
  property text,
  minute timestamptz not null,
  last_at timestamptz not null,
  calls bigint not null,
  unique nulls not distinct (plugin_id, endpoint, bundle_install_id, locator, property, minute)
);
create index plugin_read_plugin on runtime.plugin_read (plugin_id, last_at);
create index plugin_read_last on runtime.plugin_read (last_at);

-- -------- Batches --------

-- One action over many targets. The row of a batch is locked while an item starts, so no item starts twice.
create table runtime.batch (
  batch_id uuid primary key,
  action text not null,
  title text not null,
  -- sealed: it may contain sensitive values
  input bytea not null,
  -- the same for display, without sensitive values
  shown_input json not null,
  -- what it is about, for its name in the language of its reader
  summary json,
  first integer,
  concurrency integer not null,
  stop_after_failures integer,
  reason text,
  -- items are started in spite of a restriction, by a person with the permission for that
  overrides boolean not null default false,
  -- the change request that started it
  change_request_id uuid,
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
  -- null for an item that installs, until it starts; its `target` is then the installation
  bundle_install_id uuid references runtime.installation,
  -- null until an item that installs makes its scope; until then the parts of the scope name it
  scope_id bigint references runtime.scope,
  environment_key text,
  application_runtime_id text,
  workspace_id bigint,
  state text not null,
  -- refused when the batch was made: it never starts, and does not count as a failure
  refused_in_plan boolean not null,
  -- of the operation to retry or to take over
  run integer,
  plan_token text,
  -- keyed digest of the changes that were planned
  changes_digest bytea,
  -- what it sets, as its plan said when the batch was made, without sensitive values
  shown_values json,
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
-- an operation names the batches that started it
create index batch_item_operation on runtime.batch_item (operation_id) where operation_id is not null;

-- -------- Webhooks --------

-- Where to report what happens to operations and batches. A scope that is null in part stands for all of it.
create table runtime.webhook (
  webhook_id uuid primary key,
  title text not null,
  -- what people see of the address
  url text not null,
  -- sealed: it may contain a secret
  address bytea not null,
  -- as its receiver reads notifications
  format text not null default 'STANDARD',
  events text[] not null,
  environment_key text,
  application_runtime_id text,
  workspace_id bigint,
  -- how long an operation is retried automatically before that is reported
  retrying_after_minutes integer not null,
  enabled boolean not null,
  -- sealed: the key of the signatures
  secret bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  -- when a person last saved it: an edit names what it replaces
  updated_at timestamptz not null default now(),
  -- since when no delivery has succeeded; null after a success
  failing_since timestamptz,
  -- why the platform disabled it; null if a person did
  disabled_because text check (disabled_because in ('FAILING', 'GONE'))
);

-- The outbox, and the log of what was sent. Rows are written by the triggers below, in the transaction of the change that
-- they report, so that none is lost and none reports what was rolled back.
create table runtime.webhook_delivery (
  delivery_id uuid primary key default gen_random_uuid(),
  webhook_id uuid not null references runtime.webhook on delete cascade,
  event text not null,
  -- what it reports, so that each is reported once
  subject text not null,
  operation_id uuid,
  batch_id uuid,
  -- What a trigger recorded, until it is written: whoever sends it first writes it, once, so that every attempt sends the same
  -- bytes.
  body text not null,
  is_written boolean not null default false,
  state text not null default 'PENDING' check (state in ('PENDING', 'DELIVERED', 'FAILED')),
  attempts integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  available_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  last_status integer,
  last_error text,
  unique (webhook_id, event, subject)
);
create index webhook_delivery_due on runtime.webhook_delivery (webhook_id, available_at) where state = 'PENDING';
create index webhook_delivery_ended on runtime.webhook_delivery (ended_at) where state <> 'PENDING';
create index webhook_delivery_newest on runtime.webhook_delivery (webhook_id, created_at desc, delivery_id desc);

create function runtime.notification_body(event text, data json) returns text
  language sql set search_path = ''
  return json_build_object('type', event,
    'timestamp', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'data', data)::text;

-- Whether a webhook is about a place.
create function runtime.webhook_covers(receiver runtime.webhook, environment text, application text, workspace bigint)
  returns boolean language sql immutable
  return coalesce(receiver.environment_key, environment) = environment
    and coalesce(receiver.application_runtime_id, application) = application
    and coalesce(receiver.workspace_id, workspace) = workspace;

-- The webhooks that report this event of an operation. With until_started, only those that wait no longer for a run that
-- started then. A deleted webhook must not fail the change that it would have reported: the foreign key of the outbox would
-- wait for the deletion and then refuse the row. Key-share locks keep a webhook until the change commits, and skip one that is
-- being deleted; they do not wait for a change of its settings.
create function runtime.webhooks_for(
  event text, changed runtime.operation, until_started timestamptz default null)
  returns setof runtime.webhook
  language sql volatile set search_path = '' as $$
  select receiver.* from runtime.webhook as receiver
  where enabled and event = any(events)
    and runtime.webhook_covers(
      receiver, (changed).environment_key, (changed).application_runtime_id, (changed).workspace_id)
    and (until_started is null
      or until_started < clock_timestamp() - make_interval(mins => retrying_after_minutes))
  for key share skip locked
$$;

-- With the failure and the reason as they are recorded: who sends it masks them, and says what they mean.
create function runtime.notify_operation(event text, changed runtime.operation, until_started timestamptz default null)
  returns void
  language sql set search_path = '' as $$
  insert into runtime.webhook_delivery (webhook_id, event, subject, operation_id, body)
  select webhook_id, event, (changed).operation_id || '/' || (changed).run, (changed).operation_id,
    runtime.notification_body(event, json_build_object(
      'operationId', (changed).operation_id,
      'operationType', (changed).operation_type,
      'state', (changed).state,
      'phase', (changed).phase,
      'run', (changed).run,
      'targetVersion', (changed).target_version,
      'reason', (changed).reason,
      'failure', (changed).failure,
      'installation', json_build_object(
        'environmentKey', (changed).environment_key,
        'applicationRuntimeId', (changed).application_runtime_id,
        'workspaceId', (changed).workspace_id,
        'bundleInstallId', (changed).bundle_install_id,
        'bundle', json_build_object(
          'environmentKey', (changed).bundle_environment_key, 'bundleId', (changed).bundle_id))))
  from runtime.webhooks_for(event, changed, until_started)
  on conflict (webhook_id, event, subject) do nothing
$$;

create function runtime.operation_changed() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if new.state <> old.state and new.state = 'FAILED' then
    perform runtime.notify_operation('operation.failed', new);
  elsif new.state <> old.state and new.state = 'TAKEN_OVER' then
    perform runtime.notify_operation('operation.taken_over', new);
  end if;
  if old.in_doubt_since is null and new.in_doubt_since is not null then
    perform runtime.notify_operation('operation.in_doubt', new);
  end if;
  return null;
end $$;
create trigger operation_notification after update of state, in_doubt_since on runtime.operation
  for each row when (
    (new.state <> old.state and new.state in ('FAILED', 'TAKEN_OVER'))
    or (old.in_doubt_since is null and new.in_doubt_since is not null))
  execute function runtime.operation_changed();

create function runtime.batch_finished() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- a webhook counts the items of its own scope only
  insert into runtime.webhook_delivery (webhook_id, event, subject, batch_id, body)
  select webhook_id, 'batch.finished', new.batch_id::text, new.batch_id,
    runtime.notification_body('batch.finished', json_build_object(
      'batchId', new.batch_id, 'action', new.action, 'state', new.state, 'items', counted.items))
  from runtime.webhook
  cross join lateral (
    select json_object_agg(state, count) as items
    from (
      select item.state, count(*) as count
      from runtime.batch_item as item left join runtime.scope as place using (scope_id)
      where item.batch_id = new.batch_id
        and runtime.webhook_covers(
          webhook,
          coalesce(place.environment_key, item.environment_key),
          coalesce(place.application_runtime_id, item.application_runtime_id),
          coalesce(place.workspace_id, item.workspace_id))
      group by item.state
    ) as states
  ) as counted
  where enabled and 'batch.finished' = any(events) and counted.items is not null
  for key share of webhook skip locked
  on conflict (webhook_id, event, subject) do nothing;
  return null;
end $$;
create trigger batch_notification after update of finished_at on runtime.batch
  for each row when (old.finished_at is null and new.finished_at is not null)
  execute function runtime.batch_finished();

-- -------- Inboxes --------

-- What a person follows.
create table runtime.follow (
  follow_id uuid primary key default gen_random_uuid(),
  person_id text not null,
  person_name text not null,
  kind text not null check (kind in ('operation', 'installation', 'scope', 'cause')),
  -- the id of the operation, the installation, the scope or the cause
  object_id text not null,
  -- null for a cause, which is in many scopes
  scope_id bigint references runtime.scope,
  created_at timestamptz not null default clock_timestamp(),
  -- how long a failure may have no assignee; null for any time
  escalate_after_minutes integer,
  -- people with id and name; empty for the follower
  escalate_to json not null default '[]',
  -- Nobody tells the runtime that a follower may no longer read what they follow, so an escalation has an end.
  escalates_until timestamptz,
  unique (person_id, kind, object_id),
  constraint follow_scope check ((scope_id is null) = (kind = 'cause'))
);
create index follow_object on runtime.follow (object_id, kind);
-- looked for every few seconds, also for those that end
create index follow_escalation on runtime.follow (escalates_until) where escalate_after_minutes is not null;

-- The notifications of people. They contain no text of operations, which is masked when it is read; nor rights: what a person may no
-- longer see is left out when the inbox is read.
create table runtime.inbox_notification (
  notification_id uuid primary key default gen_random_uuid(),
  person_id text not null,
  event text not null,
  because text not null check (because in ('requested', 'assigned', 'followed', 'listed')),
  -- what it reports, so that each is reported once
  subject text not null,
  operation_id uuid references runtime.operation on delete cascade,
  batch_id uuid references runtime.batch on delete cascade,
  -- a row of a cause is never deleted, and checking that it exists would lock it
  cause_id text,
  by_id text,
  by_name text,
  at timestamptz not null default clock_timestamp(),
  read_at timestamptz,
  snoozed_until timestamptz,
  unique (person_id, event, subject)
);
create index inbox_notification_newest on runtime.inbox_notification (person_id, at desc, notification_id desc);
create index inbox_notification_unread on runtime.inbox_notification (person_id, at desc) where read_at is null and snoozed_until is null;
create index inbox_notification_snoozed on runtime.inbox_notification (snoozed_until) where snoozed_until is not null;
create index inbox_notification_operation on runtime.inbox_notification (operation_id) where operation_id is not null;
create index inbox_notification_batch on runtime.inbox_notification (batch_id) where batch_id is not null;
create index inbox_notification_age on runtime.inbox_notification (at);

-- Whom a change of an operation concerns, each once. Who requested a batch is notified of its end, not of each item.
create function runtime.concerned(changed runtime.operation)
  returns table (person_id text, because text)
  language sql stable set search_path = '' as $$
  select distinct on (person_id) person_id, because from (
    select (changed).requested_by_id as person_id, 'requested' as because, 1 as rank
    where not exists (select from runtime.batch_item as item where item.operation_id = (changed).operation_id)
    union all
    select (changed).assignee_id, 'assigned', 2 where (changed).assignee_id is not null
    union all
    select follow.person_id, 'followed', 3 from runtime.follow
    where (follow.kind, follow.object_id) in (
      ('operation', (changed).operation_id::text), ('installation', (changed).bundle_install_id::text),
      ('scope', (changed).scope_id::text), ('cause', (changed).cause_id))
  ) as all_reasons order by person_id, rank
$$;

-- Who stops the automatic retries of an operation knows that it failed; the others learn who stopped them.
create function runtime.notify_concerned() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.inbox_notification (person_id, event, because, subject, operation_id, by_id, by_name)
  select concerned.person_id, case new.state when 'FAILED' then 'operation.failed' else 'operation.taken_over' end,
    concerned.because, new.operation_id || '/' || new.run, new.operation_id, done.by_id, done.by_name
  from runtime.concerned(new) as concerned
  left join runtime.operation as successor on successor.operation_id = new.taken_over_by
  cross join lateral (
    select case new.state when 'FAILED' then new.failure -> 'stopped' -> 'by' ->> 'id' else successor.requested_by_id end as by_id,
      case new.state when 'FAILED' then new.failure -> 'stopped' -> 'by' ->> 'name' else successor.requested_by_name end as by_name
  ) as done
  -- who did it knows it
  where concerned.person_id is distinct from done.by_id
  on conflict (person_id, event, subject) do nothing;
  return null;
end $$;
-- a takeover names its successor after it has made the operation free
create trigger operation_concerned after update of state, taken_over_by on runtime.operation
  for each row when ((new.state <> old.state and new.state = 'FAILED')
    or (old.taken_over_by is null and new.taken_over_by is not null))
  execute function runtime.notify_concerned();

-- A detached installation concerns who had it installed, and who follows it. Who detached it knows it; who was told that their
-- operation was taken over expects it.
create function runtime.notify_detached() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.inbox_notification (person_id, event, because, subject, operation_id, by_id, by_name)
  select distinct on (concerned.person_id) concerned.person_id, 'installation.detached', concerned.because,
    new.bundle_install_id::text, detach.operation_id, detach.requested_by_id, detach.requested_by_name
  from (
    select * from runtime.operation
    where bundle_install_id = new.bundle_install_id and operation_type = 'DETACH'
    order by execution_sequence desc limit 1
  ) as detach
  cross join lateral (
    select requested_by_id as person_id, 'requested' as because, 1 as rank from runtime.operation
    where bundle_install_id = new.bundle_install_id and operation_type = 'INSTALL'
    union all
    select follow.person_id, 'followed', 2 from runtime.follow
    where (follow.kind, follow.object_id) in (
      ('installation', new.bundle_install_id::text), ('scope', new.scope_id::text))
  ) as concerned
  where concerned.person_id <> detach.requested_by_id and not exists (
    select from runtime.inbox_notification as told
    where told.person_id = concerned.person_id and told.event = 'operation.taken_over' and told.operation_id = detach.takes_over)
  order by concerned.person_id, concerned.rank
  on conflict (person_id, event, subject) do nothing;
  return null;
end $$;
create trigger installation_concerned after update of state on runtime.installation
  for each row when (new.state = 'DETACHED' and old.state <> 'DETACHED') execute function runtime.notify_detached();

create function runtime.notify_requester() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.inbox_notification (person_id, event, because, subject, batch_id)
  values (new.requested_by_id, 'batch.finished', 'requested', new.batch_id::text, new.batch_id)
  on conflict (person_id, event, subject) do nothing;
  return null;
end $$;
create trigger batch_concerned after update of finished_at on runtime.batch
  for each row when (old.finished_at is null and new.finished_at is not null) execute function runtime.notify_requester();

-- A cause that was solved concerns its followers, except who solved it. Who retried an operation is not named: the retry may be in a scope
-- that the follower may not read.
create function runtime.notify_solved() returns trigger
  language plpgsql set search_path = '' as $$
declare
  is_said constant boolean := new.solved_by ->> 'operationId' is null;
begin
  insert into runtime.inbox_notification (person_id, event, because, subject, cause_id, by_id, by_name)
  select follow.person_id, 'cause.solved', 'followed', new.cause_id || '/' || new.updated_at, new.cause_id,
    case when is_said then new.solved_by -> 'by' ->> 'id' end, case when is_said then new.solved_by -> 'by' ->> 'name' end
  from runtime.follow
  where follow.kind = 'cause' and follow.object_id = new.cause_id
    and follow.person_id is distinct from new.solved_by -> 'by' ->> 'id'
  on conflict (person_id, event, subject) do nothing;
  return null;
end $$;
create trigger cause_solved after update of state on runtime.cause
  for each row when (new.state = 'SOLVED' and old.state <> 'SOLVED') execute function runtime.notify_solved();

-- -------- Change requests --------

-- A change that others look at before it is made. They grow by people's work, and stay: they say who approved what.
create table runtime.change_request (
  change_request_id uuid primary key,
  kind text not null,
  title text not null,
  reason text,
  state text not null,
  revision integer not null default 1,
  -- sealed: the input, which may contain sensitive values, what it is based on, and the key of its digests
  content bytea not null,
  -- the input for display, without sensitive values
  shown_input json not null,
  -- null for a batch
  environment_key text,
  application_runtime_id text,
  workspace_id bigint,
  bundle_install_id uuid,
  -- the snapshot that it was merged with last; null if it names no value of a configuration
  base_snapshot bigint,
  -- the digest of what it would do, as last evaluated; null if that cannot be said
  effect text,
  -- what the policies asked for when it was submitted
  approvals_needed integer not null default 0,
  -- where somebody else has saved what it changes
  conflicts json not null default '[]',
  not_before timestamptz,
  not_after timestamptz,
  time_zone text,
  created_by_id text not null,
  created_by_name text not null,
  -- all who wrote it: their approvals do not count
  author_ids text[] not null,
  -- its author with the grants that it needs, when it was written or scheduled last
  actor json not null,
  operation_ids uuid[] not null default '{}',
  batch_id uuid,
  overridden boolean not null default false,
  -- why it was refused, or has expired
  code text,
  message text,
  parameters json,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
);
create index change_request_newest on runtime.change_request (created_at desc, change_request_id desc);
create index change_request_state on runtime.change_request (state, created_at desc, change_request_id desc);
create index change_request_place on runtime.change_request (environment_key, application_runtime_id, workspace_id, created_at desc);
create index change_request_installation on runtime.change_request (bundle_install_id, created_at desc) where bundle_install_id is not null;
create index change_request_author on runtime.change_request (created_by_id, created_at desc);
create index change_request_scheduled on runtime.change_request (not_before) where not_after is not null and ended_at is null;
create index change_request_applying on runtime.change_request (updated_at) where state = 'APPLYING';

-- The scopes that it changes, for who may see it and which policies apply.
create table runtime.change_request_scope (
  change_request_id uuid not null references runtime.change_request on delete cascade,
  environment_key text not null,
  application_runtime_id text not null,
  workspace_id bigint not null,
  primary key (change_request_id, environment_key, application_runtime_id, workspace_id)
);

-- The last approval of each person.
create table runtime.change_approval (
  change_request_id uuid not null references runtime.change_request on delete cascade,
  approver_id text not null,
  approver_name text not null,
  at timestamptz not null default clock_timestamp(),
  revision integer not null,
  effect text not null,
  -- what they saw, without sensitive values
  shown json not null,
  comment text,
  primary key (change_request_id, approver_id)
);

-- What happened to it, and what people said about it; at most 1,000 of each request.
create table runtime.change_entry (
  change_request_id uuid not null references runtime.change_request on delete cascade,
  number integer not null,
  at timestamptz not null default clock_timestamp(),
  by_id text not null,
  by_name text not null,
  event text not null,
  revision integer not null,
  text text,
  target json,
  primary key (change_request_id, number)
);

-- Which changes of an environment need approvals. Without a row: none.
create table runtime.change_policy (
  environment_key text primary key,
  required_for text[] not null,
  approvals integer not null,
  updated_at timestamptz not null default clock_timestamp()
);

-- Times in which changes are refused. At most 200; people delete them, and those that are over stay as a record until then.
create table runtime.change_freeze (
  name text primary key,
  -- those of its scopes too, so that a write reads only what may concern it
  environment_keys text[] not null,
  -- null for one that comes back every week
  ends_at timestamptz,
  settings jsonb not null,
  updated_at timestamptz not null default clock_timestamp(),
  updated_by_id text not null,
  updated_by_name text not null
);

-- Reports to webhooks what happens to a change request. Only names, ids and states: texts could quote a value of a property. A webhook
-- hears of it if it covers one of its scopes.
create function runtime.change_entered() returns trigger
  language plpgsql set search_path = '' as $$
declare
  reported text := case new.event when 'SUBMITTED' then 'change.requested' when 'APPROVED' then 'change.approved'
    when 'REJECTED' then 'change.rejected' when 'CONFLICTED' then 'change.conflicted' when 'APPLIED' then 'change.applied'
    when 'EXPIRED' then 'change.expired' when 'OVERRIDDEN' then 'change.overridden' end;
begin
  insert into runtime.webhook_delivery (webhook_id, event, subject, body)
  select webhook_id, reported, new.change_request_id || '/' || new.number,
    runtime.notification_body(reported, json_build_object(
      'changeRequestId', request.change_request_id, 'kind', request.kind, 'state', request.state,
      'by', json_build_object('id', new.by_id, 'name', new.by_name),
      'scope', case when request.environment_key is not null then json_build_object(
        'environmentKey', request.environment_key, 'applicationRuntimeId', request.application_runtime_id,
        'workspaceId', request.workspace_id) end))
  from runtime.webhook
  join runtime.change_request as request on request.change_request_id = new.change_request_id
  where enabled and reported = any(events) and exists (
    select from runtime.change_request_scope as place where place.change_request_id = new.change_request_id
      and runtime.webhook_covers(webhook, place.environment_key, place.application_runtime_id, place.workspace_id))
  for key share of webhook skip locked
  on conflict (webhook_id, event, subject) do nothing;
  return null;
end $$;
create trigger change_notification after insert on runtime.change_entry
  for each row when (new.event in ('SUBMITTED', 'APPROVED', 'REJECTED', 'CONFLICTED', 'APPLIED', 'EXPIRED', 'OVERRIDDEN'))
  execute function runtime.change_entered();

-- -------- The audit log --------

-- The audit log is a chain: numbered without a gap, each entry with the hash of the one before, and never changed again. What is
-- hashed is described in docs/operating/audit.md, so that it can be checked by other means than this database.
create table runtime.audit_entry (
  sequence bigint primary key,
  -- of what is hashed; 1 has no columns after `request_id`
  format smallint not null default 2,
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
  -- property changes as views: sensitive values are recorded as set or not set, never stored
  changes json not null,
  outcome text not null check (outcome in ('DONE', 'REFUSED')),
  request_id text not null,
  -- where the entry comes from
  actor_issuer text,
  client_address text,
  error_code text,
  -- of what the console recorded: how often and when it happened
  occurrence_count bigint,
  first_occurred_at timestamptz,
  last_occurred_at timestamptz,
  previous_hash bytea not null,
  hash bytea not null
);
create index audit_entry_installation on runtime.audit_entry (bundle_install_id, sequence desc);
create index audit_entry_actor on runtime.audit_entry (actor_id, sequence desc);
-- it is read in the order in which things happened: a console records a refusal later than it occurred
create index audit_entry_happened on runtime.audit_entry (coalesce(first_occurred_at, at) desc, sequence desc);
create index audit_entry_actor_happened on runtime.audit_entry
  (actor_id, coalesce(first_occurred_at, at) desc, sequence desc);
-- what changed before a failure: the registrations of a plugin or a service, and the policy of an environment
create index audit_entry_of_registration on runtime.audit_entry (action, split_part(subject, ' ', 1), sequence desc)
  where environment_key is null
    and action in ('plugin.save', 'plugin.retire', 'plugin.reinstate', 'plugin.credential.create', 'plugin.credential.revoke',
      'plugin.policy', 'service.save');

-- A field as its length in bytes and its text, or "-": no text can be read as the fields beside it.
create function runtime.audit_field(content text) returns text
  language sql immutable set search_path = ''
  return case when content is null then '-,' else octet_length(content) || ':' || content || ',' end;

create function runtime.audit_time(at timestamptz) returns text
  language sql stable set search_path = ''
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

create function runtime.audit_hash(entry runtime.audit_entry) returns bytea
  language sql stable set search_path = ''
  return sha256(convert_to(
    runtime.audit_field('bundle-console audit ' || entry.format)
    || runtime.audit_field(encode(entry.previous_hash, 'hex'))
    || runtime.audit_field(entry.sequence::text)
    || runtime.audit_field(runtime.audit_time(entry.at))
    || runtime.audit_field(entry.actor_id)
    || runtime.audit_field(entry.actor_name)
    || runtime.audit_field(entry.action)
    || runtime.audit_field(entry.subject)
    || runtime.audit_field(entry.environment_key)
    || runtime.audit_field(entry.application_runtime_id)
    || runtime.audit_field(entry.workspace_id::text)
    || runtime.audit_field(entry.bundle_install_id::text)
    || runtime.audit_field(entry.operation_id::text)
    || runtime.audit_field(entry.reason)
    || runtime.audit_field(entry.changes::text)
    || runtime.audit_field(entry.outcome)
    || runtime.audit_field(entry.request_id)
    || case when entry.format = 1 then '' else
      runtime.audit_field(entry.actor_issuer)
      || runtime.audit_field(entry.client_address)
      || runtime.audit_field(entry.error_code)
      || runtime.audit_field(entry.occurrence_count::text)
      || runtime.audit_field(runtime.audit_time(entry.first_occurred_at))
      || runtime.audit_field(runtime.audit_time(entry.last_occurred_at))
    end,
    'UTF8'));

-- Where the chain ends. Its row is the lock under which entries are numbered.
create table runtime.audit_head (
  one boolean primary key default true check (one),
  sequence bigint not null,
  hash bytea not null
);
insert into runtime.audit_head values (true, 0, decode(repeat('00', 32), 'hex'));

-- The entries of a transaction until it commits: only then are they numbered. So the head is locked last of all locks, and for
-- as long as the server needs for the commit; a program that stops in the middle of its transaction holds up nobody. No row
-- outlives its transaction.
create unlogged table runtime.audit_draft (
  draft_id bigint generated always as identity primary key,
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
  changes json not null,
  outcome text not null,
  request_id text not null,
  actor_issuer text,
  client_address text,
  error_code text,
  occurrence_count bigint,
  first_occurred_at timestamptz,
  last_occurred_at timestamptz
);

create function runtime.enter_audit_draft() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.audit_entry (
    actor_id, actor_name, actor_issuer, client_address, action, subject, environment_key, application_runtime_id,
    workspace_id, bundle_install_id, operation_id, reason, changes, outcome, error_code, request_id,
    occurrence_count, first_occurred_at, last_occurred_at)
  values (
    new.actor_id, new.actor_name, new.actor_issuer, new.client_address, new.action, new.subject,
    new.environment_key, new.application_runtime_id, new.workspace_id, new.bundle_install_id, new.operation_id,
    new.reason, new.changes, new.outcome, new.error_code, new.request_id,
    new.occurrence_count, new.first_occurred_at, new.last_occurred_at);
  delete from runtime.audit_draft where draft_id = new.draft_id;
  return null;
end
$$;
create constraint trigger audit_draft_enter after insert on runtime.audit_draft
  deferrable initially deferred for each row execute function runtime.enter_audit_draft();

-- In the database and not in the program, so that no way of writing an entry can forget it.
create function runtime.chain_audit_entry() returns trigger
  language plpgsql set search_path = '' as $$
declare
  head runtime.audit_head;
begin
  select * into strict head from runtime.audit_head for update;
  new.format := 2;
  new.sequence := head.sequence + 1;
  -- under the lock, so that times ascend with the numbers; as exact as every answer tells it
  new.at := date_trunc('milliseconds', clock_timestamp());
  new.previous_hash := head.hash;
  new.hash := runtime.audit_hash(new);
  update runtime.audit_head set sequence = new.sequence, hash = new.hash;
  return new;
end
$$;
create trigger audit_entry_chain before insert on runtime.audit_entry
  for each row execute function runtime.chain_audit_entry();

create function runtime.refuse_audit_change() returns trigger
  language plpgsql set search_path = '' as $$
begin
  raise exception 'The audit is append-only: % on % is refused.', tg_op, tg_table_name
    using errcode = 'insufficient_privilege';
end
$$;
create trigger audit_entry_append_only before update or delete or truncate on runtime.audit_entry
  for each statement execute function runtime.refuse_audit_change();
create trigger audit_head_stays before insert or delete or truncate on runtime.audit_head
  for each statement execute function runtime.refuse_audit_change();
-- the depth is 1 for a statement of a session, and more within the trigger that chains
create trigger audit_head_follows before update on runtime.audit_head
  for each row when (pg_trigger_depth() = 0) execute function runtime.refuse_audit_change();
-- also in a session that has put itself into the role of a replica
alter table runtime.audit_entry enable always trigger audit_entry_append_only;
alter table runtime.audit_head enable always trigger audit_head_stays;
alter table runtime.audit_head enable always trigger audit_head_follows;

revoke update, delete, truncate on runtime.audit_entry from current_user;
revoke insert, delete, truncate on runtime.audit_head from current_user;

-- -------- Requests and events --------

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

-- -------- Keys --------

-- The keys that seal sensitive values, each wrapped with the sealing key, which is in a file and never here. All but one
-- are replaced, and stay until nothing is sealed with them any more.
create table runtime.data_key (
  data_key_id integer generated by default as identity primary key,
  wrapped bytea not null,
  -- the fingerprint of the sealing key
  sealing_key text not null,
  created_at timestamptz not null default clock_timestamp(),
  replaced_at timestamptz
);
create unique index data_key_current on runtime.data_key ((true)) where replaced_at is null;

-- How far the walk through a table is that seals everything in it with one data key.
create table runtime.sealing_pass (
  table_name text primary key,
  data_key_id integer not null,
  started_at timestamptz not null default clock_timestamp(),
  -- the key of the last row that was looked at; null before the first
  last_row json,
  -- values that did not open: they are left as they are, and their key is kept
  unopened integer not null default 0,
  finished_at timestamptz
);

-- Public keys of the replicas on this database. Each signs with a private key of its own, which never leaves its data
-- directory. Each replica publishes the keys of all, so that any of them can be asked for the key of a token.
create table runtime.signing_key (
  kid text primary key,
  public_jwk json not null,
  last_seen_at timestamptz not null default clock_timestamp(),
  -- when the worker of the replica last looked for due operations; null if it has none
  worker_seen_at timestamptz,
  -- how far the clock of the replica is ahead of the database's, in milliseconds; null if they agree
  clock_ahead_ms double precision
);

-- -------- The server and its clock --------

-- Where the database lives. A restored backup, or a standby that was promoted, is another server or another timeline; then
-- plugins may have seen operations that are gone, and their numbers must not be given away again (docs/operating/recover.md).
create table runtime.server_identity (
  only_row boolean primary key default true check (only_row),
  identity text,
  -- the last recovery; null before the first
  recovered_at timestamptz,
  -- why, and from which backup
  because text,
  backup_at timestamptz,
  backup_version text,
  backup_build text,
  raised_by bigint,
  operations_in_doubt bigint
);

-- The system identifier and the timeline; null on a server that does not reveal them.
create function runtime.current_identity() returns text
  language plpgsql stable set search_path = pg_catalog as $$
begin
  return (select system_identifier::text from pg_control_system())
    || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
exception when others then
  return null;
end
$$;
insert into runtime.server_identity (identity) values (runtime.current_identity());

create function runtime.is_same_server() returns boolean
  language sql stable set search_path = ''
  return not exists (
    select from runtime.server_identity where identity <> runtime.current_identity());

-- 57P03: the database cannot be used for this now. Every replica repeats what failed with it.
create function runtime.refuse_other_server() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if not runtime.is_same_server() then
    raise exception 'the database went back in time or moved, and was not recovered yet' using errcode = '57P03';
  end if;
  return null;
end
$$;
create trigger operation_server before insert on runtime.operation
  for each statement execute function runtime.refuse_other_server();
create trigger snapshot_server before insert on runtime.snapshot
  for each statement execute function runtime.refuse_other_server();

-- The latest time that the clock of the database has shown, kept every few seconds. A clock that shows an earlier time went back, and
-- what waits for a time is moved back with it.
create table runtime.clock (
  only_row boolean primary key default true check (only_row),
  latest timestamptz not null
);
insert into runtime.clock (latest) values (clock_timestamp());

-- What the platform itself did, and its troubles, that can change how an operation ends; a trouble of the database is recorded once it is
-- over. Few rows: whoever adds one removes old ones.
create table runtime.process_event (
  process_event_id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- the end of a trouble
  until timestamptz,
  kind text not null
);
create index process_event_at on runtime.process_event (at desc);

-- -------- Retention --------

-- Retention (docs/operating/retention.md). Its only row is the lock of the replica that removes, and stores how far it came.
create table runtime.retention (
  only_row boolean primary key default true check (only_row),
  -- when the next run starts; the first is a day after the schema was created
  due_at timestamptz not null default clock_timestamp() + interval '1 day',
  -- of the current run; null between runs
  run_started_at timestamptz,
  -- the last operation that the current run examined
  examined_at timestamptz,
  examined_id uuid,
  -- the last finished operation whose attempts were removed
  attempts_until timestamptz,
  attempts_until_id uuid,
  -- the last completed run, and the age from which on it removed operations
  completed_at timestamptz,
  operations_until timestamptz,
  -- removed by the current run
  run_operations bigint not null default 0,
  run_attempts bigint not null default 0,
  run_batches bigint not null default 0,
  -- removed by all runs
  all_operations bigint not null default 0,
  all_attempts bigint not null default 0,
  all_batches bigint not null default 0,
  failures bigint not null default 0
);
insert into runtime.retention default values;

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
  primary key (bundle_environment_key, bundle_id, version)
);

-- versions are listed by precedence, and the newest one of a bundle is looked up with every installation
create index bundle_version_order on runtime.bundle_version
  (bundle_environment_key, bundle_id, is_release desc, precedence desc, published_at desc, version desc);

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
create index installation_version on runtime.installation
  (version_order desc, updated_at desc, bundle_install_id desc);
create index installation_bundle_version on runtime.installation
  (bundle_id, version_order desc, updated_at desc, bundle_install_id desc);
create index installation_inactive on runtime.installation (state, updated_at desc, bundle_install_id desc)
  where state <> 'ACTIVE';
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
  -- the key of the failure's group; a trigger computes it
  failure_group text,
  requested_by_id text not null,
  requested_by_name text not null,
  reason text,
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
create index operation_error on runtime.operation
  ((failure ->> 'errorCode'), created_at desc, operation_id desc) where failure is not null;
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

-- Failed operations with the same cause form a group: the same bundle, plugin, stage, code and shape of the message. The key
-- is stored when an operation fails, because computing it for a hundred thousand rows takes seconds. The shape is a message
-- without what differs between operations: quoted values, addresses, and words with digits, such as ids, versions and
-- numbers. docs/runtime-api.md#failure-groups
create function runtime.failure_shape(message text) returns text
  language sql immutable strict set search_path = ''
  return regexp_replace(
    regexp_replace(
      regexp_replace(
        regexp_replace(message, '"[^"]*"|“[^”]*”|‘[^’]*’|`[^`]*`|(?<![[:alnum:]])''[^'']*''(?![[:alnum:]])', '…', 'g'),
        '[^[:space:]]+(@|://)[^[:space:]]+', '…', 'g'),
      '[[:alnum:]_]*[0-9][[:alnum:]_]*', '#', 'g'),
    '#([-.:/,]#)+', '#', 'g');

create function runtime.set_failure_group() returns trigger
  language plpgsql set search_path = '' as $$
begin
  -- the reason, the status, `retryable` and `stopped` decide who acts next, which is the same for the whole group
  new.failure_group = left(encode(sha256(convert_to(jsonb_build_array(
    new.bundle_environment_key, new.bundle_id, new.phase,
    new.failure -> 'errorPath' ->> 1,
    new.failure ->> 'errorCode',
    new.failure ->> 'retryable',
    new.failure -> 'stopped' is not null,
    new.failure -> 'parameters' ->> 'reason',
    new.failure -> 'parameters' ->> 'status',
    runtime.failure_shape(new.failure ->> 'message'))::text, 'UTF8')), 'hex'), 32);
  return new;
end $$;
create trigger operation_failure_group before insert or update of failure on runtime.operation
  for each row when (new.failure is not null) execute function runtime.set_failure_group();

-- everything that the counts of groups read
create index operation_failure_group on runtime.operation
  (failure_group, finished_at, operation_id, scope_id, environment_key, target_version) where state = 'FAILED';

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
    of.failure ->> 'errorCode',
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
-- an operation names the batches that started it
create index batch_item_operation on runtime.batch_item (operation_id) where operation_id is not null;

-- -------- Webhooks --------

-- Where to report what happens to operations and batches. A scope that is null in part stands for all of it.
create table runtime.webhook (
  webhook_id uuid primary key,
  title text not null,
  url text not null,
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
  -- the bytes that every attempt sends
  body text not null,
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

-- Only names, ids and states: messages, reasons and a plugin's own code could quote a value of a property.
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
      'errorCode', case when (changed).failure -> 'parameters' ->> 'reason' <> 'callFailedSilently'
        then (changed).failure ->> 'errorCode' end,
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
      from runtime.batch_item as item join runtime.scope as place using (scope_id)
      where item.batch_id = new.batch_id
        and runtime.webhook_covers(
          webhook, place.environment_key, place.application_runtime_id, place.workspace_id)
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

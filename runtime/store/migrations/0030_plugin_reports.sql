-- The version that runs at the endpoint of a plugin, as registered; null if it is not known.
alter table runtime.plugin add column version text;

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
  primary key (plugin_id, version)
);

-- What an environment does with operations that call a plugin version without a passing report. Without a row: IGNORE.
create table runtime.plugin_policy (
  environment_key text primary key,
  policy text not null check (policy in ('IGNORE', 'WARN', 'REFUSE'))
);

-- A plugin that is gone for good: the platform answers its DETACH calls, and nothing else calls it.
alter table runtime.plugin
  add column retired_at timestamptz,
  add column retired_by_id text,
  add column retired_by_name text,
  add column retired_reason text;
-- The plugin was retired, so the platform answered the attempt itself and sent nothing.
alter table runtime.attempt add column by_platform boolean not null default false;

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

-- What changed before a failure: also that a plugin was retired. In place of the index that knows fewer actions.
create index audit_entry_of_registration on runtime.audit_entry (action, split_part(subject, ' ', 1), sequence desc)
  where environment_key is null
    and action in ('plugin.save', 'plugin.retire', 'plugin.reinstate', 'plugin.credential.create', 'plugin.credential.revoke',
      'plugin.policy', 'service.save');
drop index runtime.audit_entry_registration;

-- That a published version is deprecated, or recalled: never installed again. What was published stays as it is.
alter table runtime.bundle_version
  add column standing text check (standing in ('DEPRECATED', 'RECALLED')),
  add column standing_message text,
  add column standing_at timestamptz,
  add column standing_by_id text,
  add column standing_by_name text;

-- the newest version of a bundle is one that is not recalled, unless all are
create index bundle_version_recalled on runtime.bundle_version (bundle_environment_key, bundle_id)
  where standing = 'RECALLED';

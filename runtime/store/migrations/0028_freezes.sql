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

-- It was started, or retried, in spite of a restriction, by a person with the permission for that.
alter table runtime.operation add column overridden boolean not null default false;
alter table runtime.batch add column overrides boolean not null default false;

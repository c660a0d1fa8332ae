-- An installation that is not to be detached or taken over until somebody lifts this.
alter table runtime.installation
  add column protected_at timestamptz,
  add column protected_by_id text,
  add column protected_by_name text,
  add column protected_reason text;

-- The versions to which an installation can be upgraded: one, or the beginning of some followed by `.x`.
alter table runtime.installation
  add column pinned_to text,
  add column pinned_at timestamptz,
  add column pinned_by_id text,
  add column pinned_by_name text,
  add column pinned_reason text;

-- Few installations are protected or pinned, and lists show them.
create index installation_safeguarded on runtime.installation (updated_at, bundle_install_id)
  where protected_at is not null or pinned_to is not null;

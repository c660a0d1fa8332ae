-- Why the database was recovered last, and from which backup; null for a recovery by an earlier version. One row.
alter table runtime.server_identity
  add column because text,
  add column backup_at timestamptz,
  add column backup_version text,
  add column backup_build text;

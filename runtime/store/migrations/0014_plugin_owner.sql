-- The team that is responsible for a plugin, and where to reach it.
alter table runtime.plugin
  add column owner_team text,
  add column owner_contact text,
  add constraint plugin_owner check (owner_contact is null or owner_team is not null);

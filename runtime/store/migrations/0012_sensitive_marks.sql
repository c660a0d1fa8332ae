-- When a property of a scope was last marked as sensitive, by an INSTALL or UPGRADE to a version that defines it so.
-- Older operations and audit entries keep its values as they were; they are masked on read.
create table runtime.sensitive_mark (
  scope_id bigint not null references runtime.scope,
  locator text not null,
  property text not null,
  marked_at timestamptz not null default clock_timestamp(),
  primary key (scope_id, locator, property)
);

-- Backfill: mark every property that is sensitive now, or once was, as of now.
insert into runtime.sensitive_mark (scope_id, locator, property)
  select resource.scope_id, resource.locator, definition.key
  from runtime.installed_resource as resource, json_each(resource.definitions) as definition
  where definition.value ->> 'isSensitive' = 'true'
  union
  select scope_id, locator, property from runtime.snapshot_change where is_sensitive;

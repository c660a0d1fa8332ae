-- Who manages a saved property: person, apply:<name>, plugin:<pluginId> or default:<version>. A replica of the previous
-- release writes only what people and plugins set; its rows get the default.
alter table runtime.configuration_property add column manager text not null default 'person';
-- null if the change removed the value, and in older rows
alter table runtime.snapshot_change add column manager text;

-- What is saved already: what a plugin may write is the plugin's, a value that an INSTALL or UPGRADE brought and that
-- equals its default is the default of that version, and everything else is a person's.
update runtime.configuration_property as saved
set manager = known.manager
from (
  select property.scope_id, property.locator, property.property,
    case
      when property.property = 'instanceRefProperty' then 'default:' || operation.target_version
      when resource.written_by ->> property.property is not null
        then 'plugin:' || (resource.written_by ->> property.property)
      when snapshot.cause in ('INSTALL', 'UPGRADE')
        and (resource.definitions -> property.property -> 'default')::jsonb = property.value -> 'value'
        then 'default:' || operation.target_version
    end as manager
  from runtime.configuration_property as property
  join runtime.snapshot as snapshot
    on snapshot.scope_id = property.scope_id and snapshot.snapshot_version = property.snapshot_version
  left join runtime.installed_resource as resource
    on resource.bundle_install_id = property.bundle_install_id and resource.locator = property.locator
  left join runtime.operation as operation on operation.operation_id = snapshot.operation_id
) as known
where known.manager is not null
  and saved.scope_id = known.scope_id and saved.locator = known.locator and saved.property = known.property;

-- replaces: df4c412efdc9173f36a7958b3c92826fbcd8e95bd31d14eee37f8c2ead3d5abd
-- What refers to a service is found with an index, so that the whole configuration of all scopes need not be read. The
-- index is kept by the database, also for what a replica of the previous release or a restore writes.
create function runtime.service_ids(value jsonb) returns text[] language sql immutable parallel safe as $$
  select case value ->> '@type'
    when 'ServiceReference' then array[value ->> 'serviceId']
    when 'ServiceReferenceMap' then array(
      select entry.value ->> 'serviceId' from pg_catalog.jsonb_each(value -> 'valueMap') as entry)
    when 'ServiceReferenceList' then array(
      select entry ->> 'serviceId' from pg_catalog.jsonb_array_elements(value -> 'valueList') as entry)
    else '{}' end
$$;
create index configuration_property_services on runtime.configuration_property
  using gin (runtime.service_ids(value)) where value ->> '@type' like 'ServiceReference%';

-- the services that any of the properties refers to
create function runtime.service_ids_of_all(properties jsonb) returns text[] language sql immutable parallel safe as $$
  select array(
    select service_id from pg_catalog.jsonb_each(properties) as property
    cross join lateral pg_catalog.unnest(runtime.service_ids(property.value)) as service_id)
$$;
create index installed_resource_services on runtime.installed_resource
  using gin (runtime.service_ids_of_all(properties))
  where jsonb_path_exists(properties, '$.*."@type" ? (@ starts with "ServiceReference")');

-- The properties that a version defines, for the search by title: locator, title of the resource, name, title. A manifest
-- that was damaged has none: it must not fail the migration, and is reported where it is used.
create function runtime.manifest_properties(bundle text, manifest json) returns jsonb
language plpgsql immutable as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'locator', bundle || '/' || (resource ->> 'kind') || '/' || (resource ->> 'name'),
      'resource', resource ->> 'title',
      'property', property.key,
      'title', coalesce(nullif(property.value -> 'schema' ->> 'title', ''), property.key))), '[]')
    from pg_catalog.json_array_elements(manifest -> 'resources') as resource
    cross join lateral pg_catalog.json_each(coalesce(resource -> 'properties', '{}')) as property
    where property.key <> 'instanceRefProperty');
exception when data_exception then
  return '[]';
end $$;
-- 0037 fills the versions that are there already.
alter table runtime.bundle_version add column properties jsonb not null default '[]';
create function runtime.find_manifest_properties() returns trigger language plpgsql as $$
begin
  new.properties := runtime.manifest_properties(new.bundle_environment_key || '/' || new.bundle_id, new.manifest);
  return new;
end $$;
create trigger bundle_version_properties before insert or update of version, manifest on runtime.bundle_version
  for each row execute function runtime.find_manifest_properties();

-- Reads kind, name and title of a resource once: from json, each look reads all of its text, so one for each property took minutes.
create or replace function runtime.manifest_properties(bundle text, manifest json) returns jsonb
language plpgsql immutable as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'locator', resource.locator,
      'resource', resource.title,
      'property', property.key,
      'title', coalesce(nullif(property.value -> 'schema' ->> 'title', ''), property.key))), '[]')
    from (
      select bundle || '/' || (one ->> 'kind') || '/' || (one ->> 'name') as locator, one ->> 'title' as title,
        coalesce(one -> 'properties', '{}') as properties
      from pg_catalog.json_array_elements(manifest -> 'resources') as one
      -- not merged with the rest of the query
      offset 0) as resource
    cross join lateral pg_catalog.json_each(resource.properties) as property
    where property.key <> 'instanceRefProperty');
exception when data_exception then
  return '[]';
end $$;

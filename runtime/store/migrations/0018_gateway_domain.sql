-- The domains of gateways. A domain belongs to one property of one gateway in its environment, from the acceptance of
-- the operation that sets it.
create table runtime.gateway_domain (
  environment_key text not null,
  -- in lower case
  domain text not null,
  bundle_install_id uuid not null references runtime.installation,
  locator text not null,
  property text not null,
  primary key (environment_key, domain)
);
create index gateway_domain_installation on runtime.gateway_domain (bundle_install_id);

-- of a domain that is used twice already, the older use keeps it
insert into runtime.gateway_domain (environment_key, domain, bundle_install_id, locator, property)
select distinct on (scope.environment_key, lower(saved.value ->> 'value'))
  scope.environment_key, lower(saved.value ->> 'value'), saved.bundle_install_id, saved.locator, saved.property
from runtime.configuration_property as saved
join runtime.scope as scope using (scope_id)
join runtime.installed_resource as resource
  on resource.bundle_install_id = saved.bundle_install_id and resource.locator = saved.locator
where resource.kind = 'GATEWAY'
  and resource.definitions -> saved.property -> 'schema' ->> 'format' = 'hostname'
  and resource.definitions -> saved.property ->> 'isSensitive' is distinct from 'true'
  and jsonb_typeof(saved.value -> 'value') = 'string'
order by scope.environment_key, lower(saved.value ->> 'value'), saved.snapshot_version, saved.scope_id;

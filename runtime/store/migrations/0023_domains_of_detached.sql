-- A detached installation holds no domains. A trigger releases them, because a replica of the version before
-- 0018_gateway_domain may complete a DETACH during an upgrade.
create function runtime.release_domains() returns trigger language plpgsql as $$
begin
  delete from runtime.gateway_domain where bundle_install_id = new.bundle_install_id;
  return null;
end $$;
create trigger installation_release_domains after update of state on runtime.installation
  for each row when (new.state = 'DETACHED') execute function runtime.release_domains();

delete from runtime.gateway_domain as held using runtime.installation as holder
where holder.bundle_install_id = held.bundle_install_id and holder.state = 'DETACHED';

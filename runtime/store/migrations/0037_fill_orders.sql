-- batches: what 0019, 0029 and 0035 add, for the rows that were there before
do $$
declare
  versions text[];
  scopes bigint[];
  installations uuid[];
  last_scope bigint := 0;
  last_installation uuid := '00000000-0000-0000-0000-000000000000';
begin
  -- A column that an earlier text of these migrations generated cannot be set, and is never empty. So a trigger fills it.
  loop
    scopes := array(
      select scope_id from runtime.scope where scope_id > last_scope order by scope_id limit 1000);
    exit when cardinality(scopes) = 0;
    perform from runtime.scope where scope_id = any(scopes) and path = '' order by scope_id for no key update;
    update runtime.scope set environment_key = environment_key where scope_id = any(scopes) and path = '';
    last_scope := scopes[cardinality(scopes)];
    commit;
  end loop;

  -- a version is never changed, so nobody waits for these rows; their manifests may be large
  loop
    versions := array(
      select ctid::text from runtime.bundle_version where precedence = '' limit 100);
    exit when cardinality(versions) = 0;
    update runtime.bundle_version set version = version where ctid = any(versions::tid[]) and precedence = '';
    commit;
  end loop;

  loop
    installations := array(
      select bundle_install_id from runtime.installation where bundle_install_id > last_installation
      order by bundle_install_id limit 1000);
    exit when cardinality(installations) = 0;
    perform from runtime.installation
      where bundle_install_id = any(installations) and version is not null and version_order = ''
      order by bundle_install_id for no key update;
    update runtime.installation set version_order = runtime.version_order(version)
      where bundle_install_id = any(installations) and version is not null and version_order = '';
    last_installation := installations[cardinality(installations)];
    commit;
  end loop;
end $$;

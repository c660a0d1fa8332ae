-- replaces: 55738c899b2df670a67e2df59805a81f86ae57669e7fe2b420450094b494df22
-- The order of versions, as in contract/protocol/version-order.ts: semantic versions by number; others are opaque ('0').
create function runtime.version_precedence(version text) returns text
language sql immutable strict parallel safe as $$
  select case
    when version !~ '^v?[0-9]+(\.[0-9]+)*(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$' then '0'
    else coalesce((
        select string_agg('3' || lpad(length(digits)::text, 3, '0') || digits, '' order by place)
        from unnest(string_to_array(substr(regexp_replace(
            '.' || substring(version from '^v?([0-9]+(?:\.[0-9]+)*)'), '(\.0+)+$', ''), 2), '.'))
          with ordinality as part (number, place),
          ltrim(number, '0') as digits), '')
      || case when version !~ '-' then '2' else '1' || (
        select string_agg(
          case when part ~ '^[0-9]+$' then '1' || lpad(length(digits)::text, 3, '0') || digits else '2' || part || '!' end,
          '' order by place)
        from unnest(string_to_array(substring(version from '^[^-]*-(.*)$'), '.')) with ordinality as one (part, place),
          ltrim(part, '0') as digits) end
  end
$$;

-- A trigger keeps both, because a generated column would rewrite the table. 0037 fills the rows that are there already.
alter table runtime.bundle_version
  add column precedence text collate "C" not null default '',
  add column is_release boolean not null default false;
create function runtime.order_bundle_version() returns trigger language plpgsql as $$
begin
  new.precedence := runtime.version_precedence(new.version);
  new.is_release := new.version ~ '^v?[0-9]+(\.[0-9]+)*$';
  return new;
end $$;
create trigger bundle_version_ordered before insert or update of version on runtime.bundle_version
  for each row execute function runtime.order_bundle_version();
-- versions are now listed by precedence, and the newest one of a bundle is looked up with every installation
drop index runtime.bundle_version_newest;
create index bundle_version_order on runtime.bundle_version
  (bundle_environment_key, bundle_id, is_release desc, precedence desc, published_at desc, version desc);

-- The order of an installation in a list: empty without a version; opaque versions follow, by their text.
create function runtime.version_order(version text) returns text
language sql immutable parallel safe as $$
  select case runtime.version_precedence(version) when '0' then '0' || version
    else coalesce(runtime.version_precedence(version), '') end
$$;

-- A trigger computes it when a version changes: a generated column would be computed with every operation. 0037 fills the
-- rows that are there already.
alter table runtime.installation add column version_order text collate "C" not null default '';

create function runtime.order_installation() returns trigger language plpgsql as $$
begin
  new.version_order := runtime.version_order(new.version);
  return new;
end $$;
create trigger installation_ordered before insert on runtime.installation
  for each row execute function runtime.order_installation();
create trigger installation_reordered before update of version on runtime.installation
  for each row when (old.version is distinct from new.version) execute function runtime.order_installation();

drop index runtime.installation_version;
create index installation_version on runtime.installation
  (version_order desc, updated_at desc, bundle_install_id desc);
create index installation_bundle_version on runtime.installation
  (bundle_id, version_order desc, updated_at desc, bundle_install_id desc);

-- How many installations of an environment have each version of a bundle, in each state: the sum of all rows of a kind, as in
-- runtime.installation_count.
create table runtime.version_count (
  environment_key text not null,
  bundle_environment_key text not null,
  bundle_id text not null,
  version text not null,
  state text not null,
  count bigint not null
);
insert into runtime.version_count
  select environment_key, bundle_environment_key, bundle_id, version, state, count(*)
  from runtime.installation where version is not null group by 1, 2, 3, 4, 5;

create function runtime.count_version() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.version is not null then
    insert into runtime.version_count
      values (old.environment_key, old.bundle_environment_key, old.bundle_id, old.version, old.state, -1);
  end if;
  if new.version is not null then
    insert into runtime.version_count
      values (new.environment_key, new.bundle_environment_key, new.bundle_id, new.version, new.state, 1);
  end if;
  return null;
end $$;
create trigger installation_version_made after insert on runtime.installation
  for each row execute function runtime.count_version();
create trigger installation_version_moved after update of state, version on runtime.installation
  for each row when (old.state <> new.state or old.version is distinct from new.version)
  execute function runtime.count_version();

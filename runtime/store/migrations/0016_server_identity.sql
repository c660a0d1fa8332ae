-- Where the database lives. A restored backup, or a standby that was promoted, is another server or another timeline; then
-- plugins may have seen operations that are gone, and their numbers must not be given away again (docs/operating/recover.md).
create table runtime.server_identity (
  only_row boolean primary key default true check (only_row),
  identity text,
  -- the last recovery; null before the first
  recovered_at timestamptz,
  raised_by bigint,
  operations_in_doubt bigint
);

-- The system identifier and the timeline; null on a server that does not reveal them.
create function runtime.current_identity() returns text
  language plpgsql stable set search_path = pg_catalog as $$
begin
  return (select system_identifier::text from pg_control_system())
    || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
exception when others then
  return null;
end
$$;
insert into runtime.server_identity (identity) values (runtime.current_identity());

create function runtime.is_same_server() returns boolean
  language sql stable set search_path = ''
  return not exists (
    select from runtime.server_identity where identity <> runtime.current_identity());

-- 57P03: the database cannot be used for this now. Every replica repeats what failed with it.
create function runtime.refuse_other_server() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if not runtime.is_same_server() then
    raise exception 'the database went back in time or moved, and was not recovered yet' using errcode = '57P03';
  end if;
  return null;
end
$$;
create trigger operation_server before insert on runtime.operation
  for each statement execute function runtime.refuse_other_server();
create trigger snapshot_server before insert on runtime.snapshot
  for each statement execute function runtime.refuse_other_server();

-- When an operation that was in progress became doubtful: its plugins may have seen later ones.
alter table runtime.operation add column in_doubt_since timestamptz;
create index operation_in_doubt on runtime.operation (in_doubt_since) where in_doubt_since is not null and holds_claim;

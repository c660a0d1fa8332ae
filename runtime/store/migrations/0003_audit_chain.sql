-- The audit as a chain: numbered without a gap, each entry with the hash of the one before, and never changed again.
-- What is hashed is told in docs/operating.md, so that it can be checked by other means than this database.

alter table runtime.audit_entry
  alter column sequence drop identity,
  add column previous_hash bytea,
  add column hash bytea;

-- A field as its length in bytes and its text, or "-": no text can be read as the fields beside it.
create function runtime.audit_field(content text) returns text
  language sql immutable set search_path = ''
  return case when content is null then '-,' else octet_length(content) || ':' || content || ',' end;

create function runtime.audit_hash(entry runtime.audit_entry) returns bytea
  language sql stable set search_path = ''
  return sha256(convert_to(
    runtime.audit_field('bundle-console audit 1')
    || runtime.audit_field(encode(entry.previous_hash, 'hex'))
    || runtime.audit_field(entry.sequence::text)
    || runtime.audit_field(to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
    || runtime.audit_field(entry.actor_id)
    || runtime.audit_field(entry.actor_name)
    || runtime.audit_field(entry.action)
    || runtime.audit_field(entry.subject)
    || runtime.audit_field(entry.environment_key)
    || runtime.audit_field(entry.application_runtime_id)
    || runtime.audit_field(entry.workspace_id::text)
    || runtime.audit_field(entry.bundle_install_id::text)
    || runtime.audit_field(entry.operation_id::text)
    || runtime.audit_field(entry.reason)
    || runtime.audit_field(entry.changes::text)
    || runtime.audit_field(entry.outcome)
    || runtime.audit_field(entry.request_id),
    'UTF8'));

-- Where the chain ends. Its row is the lock under which entries are numbered.
create table runtime.audit_head (
  one boolean primary key default true check (one),
  sequence bigint not null,
  hash bytea not null
);

-- Entries that are there already close their gaps and are chained as they stand. Each moves to a number that is free:
-- those before it have lower ones, those after it higher ones.
do $$
declare
  entry runtime.audit_entry;
  old_sequence bigint;
  head runtime.audit_head := row(true, 0, decode(repeat('00', 32), 'hex'));
begin
  for entry in select * from runtime.audit_entry order by sequence loop
    old_sequence := entry.sequence;
    entry.sequence := head.sequence + 1;
    entry.previous_hash := head.hash;
    entry.hash := runtime.audit_hash(entry);
    update runtime.audit_entry as kept
      set sequence = entry.sequence, previous_hash = entry.previous_hash, hash = entry.hash
      where kept.sequence = old_sequence;
    head.sequence := entry.sequence;
    head.hash := entry.hash;
  end loop;
  insert into runtime.audit_head values (head.one, head.sequence, head.hash);
end
$$;

alter table runtime.audit_entry
  alter column previous_hash set not null,
  alter column hash set not null;

-- What a transaction has to tell, until it commits: only then is it numbered. So the head is locked last of all locks,
-- and for as long as the server needs for the commit; a program that stops in the middle of its transaction holds up
-- nobody. No row outlives its transaction.
create unlogged table runtime.audit_draft (
  draft_id bigint generated always as identity primary key,
  actor_id text not null,
  actor_name text not null,
  action text not null,
  subject text not null,
  environment_key text,
  application_runtime_id text,
  workspace_id bigint,
  bundle_install_id uuid,
  operation_id uuid,
  reason text,
  changes json not null,
  outcome text not null,
  request_id text not null
);

create function runtime.enter_audit_draft() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.audit_entry (
    actor_id, actor_name, action, subject, environment_key, application_runtime_id, workspace_id,
    bundle_install_id, operation_id, reason, changes, outcome, request_id)
  values (
    new.actor_id, new.actor_name, new.action, new.subject, new.environment_key, new.application_runtime_id,
    new.workspace_id, new.bundle_install_id, new.operation_id, new.reason, new.changes, new.outcome, new.request_id);
  delete from runtime.audit_draft where draft_id = new.draft_id;
  return null;
end
$$;
create constraint trigger audit_draft_enter after insert on runtime.audit_draft
  deferrable initially deferred for each row execute function runtime.enter_audit_draft();

-- In the database and not in the program, so that no way of writing an entry can forget it.
create function runtime.chain_audit_entry() returns trigger
  language plpgsql set search_path = '' as $$
declare
  head runtime.audit_head;
begin
  select * into strict head from runtime.audit_head for update;
  new.sequence := head.sequence + 1;
  -- under the lock, so that times ascend with the numbers; as exact as every answer tells it
  new.at := date_trunc('milliseconds', clock_timestamp());
  new.previous_hash := head.hash;
  new.hash := runtime.audit_hash(new);
  update runtime.audit_head set sequence = new.sequence, hash = new.hash;
  return new;
end
$$;
create trigger audit_entry_chain before insert on runtime.audit_entry
  for each row execute function runtime.chain_audit_entry();

create function runtime.refuse_audit_change() returns trigger
  language plpgsql set search_path = '' as $$
begin
  raise exception 'The audit is append-only: % on % is refused.', tg_op, tg_table_name
    using errcode = 'insufficient_privilege';
end
$$;
create trigger audit_entry_append_only before update or delete or truncate on runtime.audit_entry
  for each statement execute function runtime.refuse_audit_change();
create trigger audit_head_stays before insert or delete or truncate on runtime.audit_head
  for each statement execute function runtime.refuse_audit_change();
-- the depth is 1 for a statement of a session, and more within the trigger that chains
create trigger audit_head_follows before update on runtime.audit_head
  for each row when (pg_trigger_depth() = 0) execute function runtime.refuse_audit_change();
-- also in a session that has put itself into the role of a replica
alter table runtime.audit_entry enable always trigger audit_entry_append_only;
alter table runtime.audit_head enable always trigger audit_head_stays;
alter table runtime.audit_head enable always trigger audit_head_follows;

revoke update, delete, truncate on runtime.audit_entry from current_user;
revoke insert, delete, truncate on runtime.audit_head from current_user;

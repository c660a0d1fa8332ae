-- Where an entry comes from: the issuer of the person, the client address, the code of a refusal, and for what the console
-- recorded how often and when it happened. Entries that are there keep format 1 and their hash; new ones have format 2.

alter table runtime.audit_entry
  add column format smallint not null default 1,
  add column actor_issuer text,
  add column client_address text,
  add column error_code text,
  add column occurrence_count bigint,
  add column first_occurred_at timestamptz,
  add column last_occurred_at timestamptz;
alter table runtime.audit_entry alter column format set default 2;

alter table runtime.audit_draft
  add column actor_issuer text,
  add column client_address text,
  add column error_code text,
  add column occurrence_count bigint,
  add column first_occurred_at timestamptz,
  add column last_occurred_at timestamptz;

create function runtime.audit_time(at timestamptz) returns text
  language sql stable set search_path = ''
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

create or replace function runtime.audit_hash(entry runtime.audit_entry) returns bytea
  language sql stable set search_path = ''
  return sha256(convert_to(
    runtime.audit_field('bundle-console audit ' || entry.format)
    || runtime.audit_field(encode(entry.previous_hash, 'hex'))
    || runtime.audit_field(entry.sequence::text)
    || runtime.audit_field(runtime.audit_time(entry.at))
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
    || runtime.audit_field(entry.request_id)
    || case when entry.format = 1 then '' else
      runtime.audit_field(entry.actor_issuer)
      || runtime.audit_field(entry.client_address)
      || runtime.audit_field(entry.error_code)
      || runtime.audit_field(entry.occurrence_count::text)
      || runtime.audit_field(runtime.audit_time(entry.first_occurred_at))
      || runtime.audit_field(runtime.audit_time(entry.last_occurred_at))
    end,
    'UTF8'));

create or replace function runtime.enter_audit_draft() returns trigger
  language plpgsql set search_path = '' as $$
begin
  insert into runtime.audit_entry (
    actor_id, actor_name, actor_issuer, client_address, action, subject, environment_key, application_runtime_id,
    workspace_id, bundle_install_id, operation_id, reason, changes, outcome, error_code, request_id,
    occurrence_count, first_occurred_at, last_occurred_at)
  values (
    new.actor_id, new.actor_name, new.actor_issuer, new.client_address, new.action, new.subject,
    new.environment_key, new.application_runtime_id, new.workspace_id, new.bundle_install_id, new.operation_id,
    new.reason, new.changes, new.outcome, new.error_code, new.request_id,
    new.occurrence_count, new.first_occurred_at, new.last_occurred_at);
  delete from runtime.audit_draft where draft_id = new.draft_id;
  return null;
end
$$;

create or replace function runtime.chain_audit_entry() returns trigger
  language plpgsql set search_path = '' as $$
declare
  head runtime.audit_head;
begin
  select * into strict head from runtime.audit_head for update;
  new.format := 2;
  new.sequence := head.sequence + 1;
  -- under the lock, so that times ascend with the numbers; as exact as every answer tells it
  new.at := date_trunc('milliseconds', clock_timestamp());
  new.previous_hash := head.hash;
  new.hash := runtime.audit_hash(new);
  update runtime.audit_head set sequence = new.sequence, hash = new.hash;
  return new;
end
$$;

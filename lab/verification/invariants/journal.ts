import type { OperationState, Phase } from '#contract/runtime-api/vocabulary.ts'
import { readJson } from './reader.ts'
import type { Reader } from './reader.ts'

// Triggers that record every change of an operation and of its calls, and every audit entry, with its transaction. So
// intermediate steps can be judged too, not only the final state.

interface ChangeOf<Relation extends string, Row> {
  relation: Relation
  /** Increasing. */
  change_id: number
  xid: string
  at: number
  /** The setting `journal.actor` of the connection; null if it is not set. */
  actor: string | null
  operation_id: string
  /** Null for a new row. */
  before: Row | null
  after: Row | null
}

interface OperationRow {
  bundle_install_id: string
  execution_sequence: number
  run: number
  state: OperationState
  phase: Phase
  holds_claim: boolean
  finished_at: string | null
  lease_owner: string | null
  lease_epoch: number
  /** Milliseconds. */
  available_at: number
  /** Since a recovery; null otherwise. */
  in_doubt_since: string | null
}

interface CallRow {
  stage: string
  plugin_id: string
  outcome: string | null
  ended_well: boolean
  /** MD5 of the frozen request and of the writes, as stored. */
  request: string | null
  writes: string | null
}

interface AuditRow {
  action: string
}

export type OperationChange = ChangeOf<'operation', OperationRow>
export type CallChange = ChangeOf<'plugin_call', CallRow>
export type Change = OperationChange | CallChange | ChangeOf<'audit_entry', AuditRow>

// a column of a later migration is read through JSON: an upgrade runs while the journal is written
const rowOf = {
  operation: (row: string) => `jsonb_build_object('bundle_install_id', ${row}.bundle_install_id,
    'execution_sequence', ${row}.execution_sequence, 'run', ${row}.run, 'state', ${row}.state, 'phase', ${row}.phase,
    'holds_claim', ${row}.holds_claim, 'finished_at', ${row}.finished_at, 'lease_owner', ${row}.lease_owner,
    'lease_epoch', ${row}.lease_epoch, 'available_at', extract(epoch from ${row}.available_at) * 1000,
    'in_doubt_since', to_jsonb(${row}) -> 'in_doubt_since')`,
  plugin_call: (row: string) => `jsonb_build_object('stage', ${row}.stage, 'plugin_id', ${row}.plugin_id,
    'outcome', ${row}.outcome, 'ended_well', ${row}.ended_well, 'request', md5(${row}.request),
    'writes', md5(${row}.writes::text))`,
  audit_entry: (row: string) => `jsonb_build_object('action', ${row}.action)`,
} satisfies Record<Change['relation'], (row: string) => string>

// a trigger resolves names in the session that changes the row, so in a simulation the time is virtual
const triggerOn = (relation: Change['relation']): string => `
  create function journal.note_${relation}() returns trigger language plpgsql as $$
  begin
    insert into journal.change (xid, at, actor, relation, operation_id, before, after) values (
      pg_current_xact_id()::text, extract(epoch from clock_timestamp()) * 1000,
      current_setting('journal.actor', true), '${relation}', coalesce(new.operation_id, old.operation_id),
      case when tg_op <> 'INSERT' then ${rowOf[relation]('old')} end,
      case when tg_op <> 'DELETE' then ${rowOf[relation]('new')} end);
    return null;
  end $$;
  create trigger journal_note after insert or update or delete on runtime.${relation}
    for each row execute function journal.note_${relation}();`

const INSTALL = `
  create schema journal;
  create table journal.change (
    change_id bigint generated always as identity primary key,
    xid text not null,
    at float8 not null,
    actor text,
    relation text not null,
    operation_id uuid,
    before jsonb,
    after jsonb
  );
  create index change_operation on journal.change (operation_id);
  grant usage on schema journal to public;
  grant insert, select on journal.change to public;
  ${Object.keys(rowOf)
    // the keys of rowOf are the relations
    .map((relation) => triggerOn(relation as Change['relation']))
    .join('\n')}`

/** Called once per database, after the migrations, by its owner. */
export async function installJournal(reader: Reader): Promise<void> {
  await reader.query(INSTALL)
}

/** The changes of the operations of these scopes, in order; null if no journal was installed. */
export async function readJournal(reader: Reader, scopeIds: readonly number[]): Promise<Change[] | null> {
  const installed = await readJson(
    reader,
    `select to_json(to_regclass('journal.change') is not null)::text as json`,
    [],
  )
  if (installed !== true) return null
  const text = `
    select coalesce(json_agg(change order by change_id), '[]')::text as json
    from (select operation_id from runtime.operation where scope_id = any($1) offset 0) as mine
    cross join lateral (select * from journal.change where change.operation_id = mine.operation_id offset 0) as change`
  // the triggers write exactly this shape
  return (await readJson(reader, text, [scopeIds])) as Change[]
}

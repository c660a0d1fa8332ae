import type { ChangeKind, ChangeState } from '#contract/runtime-api/vocabulary.ts'
import { readJson } from '../invariants/reader.ts'
import type { Reader } from '../invariants/reader.ts'
import type { Violation } from '../suite.ts'
import { judgeBatch, NOTE_TURNS, SEEN_BATCH } from './judge-waves.ts'
import type { BatchSeen } from './judge-waves.ts'

// What must hold of the change requests of one history, judged from what people saw and were answered, and from what a
// trigger noted about each operation in the transaction that made it.

/** What people did with one request, as far as they know. */
export interface Known {
  /** The effects that each approver saw, of a revision and digest, also where no response arrived. */
  approvals: { by: string; of: string; seen: readonly string[] }[]
  /** Acknowledged: who did what. */
  acknowledged: { by: string; event: string }[]
  /** Somebody tried to apply it, whatever the response was. */
  wasTried: boolean
}

interface FreezeSeen {
  from: string | null
  to: string | null
  blocks: ChangeKind[]
}

export interface OperationSeen {
  operationId: string
  kind: ChangeKind
  bundleInstallId: string
  /** Also of the batch that started it. */
  changeRequestId: string | null
  batchId: string | null
  isUnfinished: boolean
  overridden: boolean
  /** By the clock of the database, in milliseconds since 1970. */
  at: number
  policy: { requiredFor: ChangeKind[]; approvals: number } | null
  freezes: FreezeSeen[]
}

export interface RequestSeen {
  changeRequestId: string
  state: ChangeState
  createdBy: string
  notBefore: number | null
  notAfter: number | null
  /** Whether its operations and its batch have ended. */
  hasResult: boolean
  entries: { by: string; event: string; at: number }[]
}

/** Notes with each new operation the policy and the freezes of that moment, and the turns of batches. Called once per database. */
export const NOTE_OPERATIONS = `
  create schema seen;
  create table seen.operation (operation_id uuid primary key, at timestamptz, policy jsonb, freezes jsonb);
  create function seen.note() returns trigger language plpgsql as $$
  begin
    insert into seen.operation select new.operation_id, clock_timestamp(),
      (select jsonb_build_object('requiredFor', required_for, 'approvals', approvals)
        from runtime.change_policy as policy where policy.environment_key = scope.environment_key),
      (select coalesce(jsonb_agg(settings), '[]') from runtime.change_freeze
        where scope.environment_key = any (environment_keys))
    from runtime.scope as scope where scope.scope_id = new.scope_id;
    return null;
  end $$;
  create trigger seen_note after insert on runtime.operation for each row execute function seen.note();
  create index on runtime.change_request_scope (environment_key);
  ${NOTE_TURNS}`

const MILLISECONDS = (column: string): string => `extract(epoch from ${column}) * 1000`

const OURS = `request.change_request_id in (
  select change_request_id from runtime.change_request_scope where environment_key = any($1))`
const HAS_RESULT = `not exists (select from runtime.operation where operation_id = any (request.operation_ids)
    and state not in ('SUCCEEDED', 'TAKEN_OVER'))
  and not exists (select from runtime.batch where batch.batch_id = request.batch_id and finished_at is null)`

const IS_TO_JUDGE = `state <> 'DRAFT' and (judge_again or exists (select from runtime.change_request_scope as place
  where place.change_request_id = request.change_request_id and place.judged_version is distinct from
    runtime.scope_version(place.environment_key, place.application_runtime_id, place.workspace_id)))`

const SEEN = `
  select json_build_object(
    'operations', (select coalesce(json_agg(json_build_object('operationId', operation_id, 'kind', operation_type,
        'bundleInstallId', bundle_install_id, 'overridden', overridden, 'batchId', item.batch_id,
        'changeRequestId', coalesce(operation.change_request_id, batch.change_request_id),
        'isUnfinished', operation.state in ('PENDING', 'RUNNING', 'WAITING'), 'at', ${MILLISECONDS('seen.at')}, 'policy', policy, 'freezes', freezes) order by seen.at, operation_id), '[]')
      from runtime.operation join seen.operation as seen using (operation_id)
      join runtime.scope as scope using (scope_id)
      left join lateral (select batch_id from runtime.batch_item as one where one.operation_id = operation.operation_id
        limit 1) as item on true
      left join runtime.batch using (batch_id)
      where scope.environment_key = any($1)),
    'batches', (select coalesce(json_agg(batch), '[]') from runtime.change_request as request
      cross join lateral (${SEEN_BATCH} where batch_id = request.batch_id) as seen (batch) where ${OURS}),
    'requests', (select coalesce(json_agg(json_build_object('changeRequestId', change_request_id, 'state', state,
        'createdBy', created_by_id, 'notBefore', ${MILLISECONDS('not_before')}, 'notAfter', ${MILLISECONDS('not_after')},
        'hasResult', ${HAS_RESULT},
        'entries', (select json_agg(json_build_object('by', by_id, 'event', event, 'at', ${MILLISECONDS('at')}) order by number)
          from runtime.change_entry as entry where entry.change_request_id = request.change_request_id))
        order by change_request_id), '[]')
      from runtime.change_request as request where ${OURS}))::text as json`

export interface Seen {
  operations: OperationSeen[]
  batches: BatchSeen[]
  requests: RequestSeen[]
}

export async function readSeen(reader: Reader, environments: readonly string[]): Promise<Seen> {
  // the statement builds exactly this shape
  return (await readJson(reader, SEEN, [environments])) as Seen
}

const QUIET = `
  select to_json(not exists (select from runtime.operation join runtime.scope as scope using (scope_id)
      where scope.environment_key = any($1) and operation.state in ('PENDING', 'RUNNING', 'WAITING'))
    and not exists (select from runtime.change_request as request where ended_at is null and ${OURS}
      and case when state = 'APPLYING' then ${HAS_RESULT} else not_after is not null or ${IS_TO_JUDGE} end)
    and not exists (select from runtime.batch join runtime.change_request as request using (batch_id)
      where batch.finished_at is null and ${OURS} and (
        exists (select from runtime.batch_item as item where item.batch_id = batch.batch_id and item.state = 'RUNNING')
        or batch.state = 'RUNNING' and batch.available_at <= clock_timestamp()
        or (select coalesce(max(ended_at), batch.created_at) from runtime.batch_item as item
          where item.batch_id = batch.batch_id) > clock_timestamp() - interval '30 s')))::text as json`

/** Whether nothing is left that the platform does by itself. */
export async function isQuiet(reader: Reader, environments: readonly string[]): Promise<boolean> {
  return (await readJson(reader, QUIET, [environments])) === true
}

const ENDED: ReadonlySet<ChangeState> = new Set(['APPLIED', 'REJECTED', 'WITHDRAWN', 'EXPIRED', 'REFUSED'])

/**
 * `effects` is what each operation changed, or all operations of its request together, as an approver saw it in the plan; `pages` has the
 * state of each request as its page shows it.
 */
export function judge(
  { operations, batches, requests }: Seen,
  known: ReadonlyMap<string, Known>,
  { effects, pages }: { effects: ReadonlyMap<string, string>; pages: ReadonlyMap<string, ChangeState> },
): Violation[] {
  const violations: Violation[] = []
  const breaks = (promise: string, seen: string): void => void violations.push({ promise, seen })
  for (const operation of operations) {
    const { kind, at, overridden, policy, freezes, changeRequestId } = operation
    const what = `${kind} ${operation.operationId}`
    if (operation.isUnfinished) breaks('everything ends', `${what} is in progress`)
    const batch = batches.find(({ batchId }) => batchId === operation.batchId)
    if (overridden || batch?.overrides === true) continue
    const isFrozen = freezes.some(
      ({ from, to, blocks }) =>
        from !== null &&
        to !== null &&
        Date.parse(from) <= at &&
        at < Date.parse(to) &&
        blocks.includes(kind),
    )
    if (isFrozen) breaks('nothing in a freeze', `${what} began at ${new Date(at).toISOString()}`)
    // a batch was approved as a whole, when it was made
    const needed = batch?.needed ?? (policy?.requiredFor.includes(kind) === true ? policy.approvals : 0)
    if (needed === 0) continue
    const request = requests.find((one) => one.changeRequestId === changeRequestId)
    if (request === undefined) {
      breaks('nothing without a request', `${what} needs ${needed} approvals`)
      continue
    }
    const authors = new Set([
      request.createdBy,
      ...request.entries.filter(({ event }) => event === 'EDITED').map(({ by }) => by),
    ])
    const approvals = known.get(request.changeRequestId)?.approvals ?? []
    const effect = effects.get(operation.operationId) ?? ''
    const counts = new Set(
      approvals.filter(({ by, seen }) => seen.includes(effect) && !authors.has(by)).map(({ by }) => by),
    )
    if (counts.size < needed)
      breaks('approved for its effect', `${what} has ${counts.size} of ${needed} approvals of ${effect}`)
  }
  for (const { changeRequestId, state } of requests)
    if (pages.get(changeRequestId) !== state)
      breaks(
        'lists say what pages say',
        `${state} ${changeRequestId} is ${pages.get(changeRequestId)} on its page`,
      )
  for (const request of requests)
    judgeRequest(request, operations, known.get(request.changeRequestId), breaks)
  for (const batch of batches) judgeBatch(batch, breaks)
  for (const id of known.keys())
    if (!requests.some(({ changeRequestId }) => changeRequestId === id))
      breaks('acknowledged survives', `the request ${id} is gone`)
  return violations
}

function judgeRequest(
  { changeRequestId, state, entries, notBefore, notAfter, hasResult }: RequestSeen,
  operations: readonly OperationSeen[],
  known: Known | undefined,
  breaks: (promise: string, seen: string) => void,
): void {
  const mine = operations.filter((operation) => operation.changeRequestId === changeRequestId)
  const what = `${state} ${changeRequestId}`
  const began = entries.filter(({ event }) => event === 'APPLYING' || event === 'OVERRIDDEN').length
  if (began > 1) breaks('nothing twice', `${what} began ${began} times`)
  if (new Set(mine.map(({ bundleInstallId }) => bundleInstallId)).size < mine.length)
    breaks('nothing twice', `${what} has ${mine.length} operations`)
  if (mine.length > 0 && state !== 'APPLYING' && state !== 'APPLIED')
    breaks('a result has a state', `${what} has operations`)
  if (state === 'APPLYING' && hasResult) breaks('everything ends', `${what} is not APPLIED`)
  if (notAfter !== null && !ENDED.has(state) && state !== 'APPLYING')
    breaks('everything ends', `${what} is over and has not expired`)
  for (const { event, at } of entries)
    if (
      (event === 'APPLYING' || event === 'OVERRIDDEN') &&
      known?.wasTried === false &&
      (notBefore === null || notAfter === null || at < notBefore || at >= notAfter)
    )
      breaks('in its time', `${what} began at ${new Date(at).toISOString()}`)
  for (const [text, acknowledged] of Map.groupBy(
    known?.acknowledged ?? [],
    ({ by, event }) => `${event} ${by}`,
  )) {
    const found = entries.filter(({ by, event }) => `${event} ${by}` === text).length
    if (found < acknowledged.length)
      breaks('acknowledged survives', `${what} has ${found} of ${acknowledged.length} × ${text}`)
  }
}

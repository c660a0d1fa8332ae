import { mayIn } from '#contract/endpoint/permission.ts'
import { MASK } from '#contract/protocol/data.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Cause, SolvedBy } from '#contract/runtime-api/causes.ts'
import type { ContextCause } from '#contract/runtime-api/operation-context.ts'
import { MAX_NOTES } from '#contract/runtime-api/operations.ts'
import { inTransaction } from '#database/transaction.ts'
import { commonMessage } from '../../engine/calls/common-message.ts'
import { DomainError } from '../../engine/refusals.ts'
import { operationView } from '../../engine/views.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { Vault } from '../../model/vault.ts'
import { listCauseRows } from '../../store/audit.ts'
import { readAuditMarks } from '../../store/configuration/sensitivity.ts'
import { emitEvents, EVENTS_FOR_ONE } from '../../store/events.ts'
import {
  countFailuresByHour,
  findCause,
  findRetrySpan,
  HOURS,
  listMarkedFailures,
  listPastCauses,
  listPresentCauses,
  MARKED_MAX,
  mayOfCause,
  newestMembers,
  readCauseNotes,
} from '../../store/operations/causes.ts'
import type { AfterCause, CauseColumns, CauseRow, MarkedFailure } from '../../store/operations/causes.ts'
import { insertCauseNote, lockCause, updateCause } from '../../store/operations/change-causes.ts'
import { findOperation } from '../../store/operations/operations.ts'
import { shownChanges } from '../audit/list.ts'
import { fieldChanges, recordAudit } from '../audit/record.ts'
import { notFound } from '../authorize.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { cursorInteger, decodeCursor, encodeCursor } from '../paging.ts'
import { findPerson, noteView } from './annotate.ts'
import { maskedOf } from './mark-sensitive.ts'
import { causeView as contextCauseView } from './operation-context.ts'
import { resolveSearch } from './resolve-moments.ts'

/** The causes of the failed operations that the actor may see, or those that are past. */
export async function listCauses(
  { deps, actor }: ReadContext,
  { query }: Input<'GET /causes'>,
): Promise<Answer<'GET /causes'>> {
  const after = readCursor(query.cursor)
  const list = query.when === 'past' ? listPastCauses : listPresentCauses
  const { rows, total } = await list(deps.db, actor, resolveSearch(query, deps.clock).filter, after)
  const page = rows.slice(0, query.limit)
  const last = page.at(-1)
  const hasMore = rows.length > page.length && last !== undefined
  const hidden = await hiddenShapes(deps, page)
  return {
    causes: page.map((row) => causeView(row, actor, hidden)),
    ...(total !== null && { total }),
    ...(hasMore && {
      next: encodeCursor([after?.readAt ?? last.now, last.ranked, last.last_ranked, last.cause_id]),
    }),
  }
}

/** One cause. Refuses with NOT_FOUND if no failure of it is in a scope that the actor may read. */
export function readCause(
  { deps: { db, vault }, actor }: ReadContext,
  { params: { causeId } }: Input<'GET /causes/{causeId}'>,
): Promise<Answer<'GET /causes/{causeId}'>> {
  return inTransaction(
    db,
    async (tx) => {
      const found = await findCause(tx, actor, causeId)
      if (found === undefined) throw notFound('cause')
      const { cause, bundles, before, notes } = found
      return {
        ...causeView(cause, actor, await hiddenShapes({ db: tx, vault }, [cause])),
        inBundles: bundles.map((row) => ({
          bundle: { environmentKey: row.bundle_environment_key, bundleId: row.bundle_id },
          count: row.operations,
          versions: row.versions,
        })),
        seenBefore: before && {
          failures: before.failures,
          operations: before.operations,
          firstAt: before.first_at,
          lastAt: before.last_at,
        },
        changeBefore: await findChangeBefore(tx, actor, cause),
        notes: notes.map(noteView),
      }
    },
    { isolation: 'repeatable read' },
  )
}

/**
 * Changes who works on a cause and its state. Refuses with CAUSE_STALE unless it is still as the caller saw it, and with
 * REQUEST_INVALID if the assignee has never signed in.
 */
export async function changeCause(
  context: WriteContext,
  { params: { causeId }, body }: Input<'PATCH /causes/{causeId}'>,
): Promise<Answer<'PATCH /causes/{causeId}'>> {
  const { tx, actor } = context
  const cause = await lockCauseFor(context, causeId)
  if (cause.updated_at !== body.updatedAt)
    throw new DomainError('CAUSE_STALE', platformMessage('causeChanged', { state: cause.state }))
  const assignee =
    body.assignee === undefined
      ? assigneeOf(cause)
      : body.assignee === null
        ? null
        : await findPerson(context, body.assignee)
  const state = body.state ?? stateFor(cause, assignee !== null)
  if (body.solvedBy !== undefined && state !== 'SOLVED')
    throw new DomainError('REQUEST_INVALID', platformMessage('causeSolutionUnexpected'))
  const waitingFor =
    state === 'WAITING' ? (body.waitingFor === undefined ? cause.waiting_for : body.waitingFor) : null
  const isSolved = state === 'SOLVED' && (cause.state !== 'SOLVED' || body.solvedBy !== undefined)
  await updateCause(tx, causeId, {
    state,
    assignee,
    waitingFor,
    solvedBy:
      isSolved && !(isSolvedNow(cause) && body.solvedBy === undefined)
        ? { by: { id: actor.id, name: actor.name }, reason: body.solvedBy ?? null }
        : undefined,
  })
  await recordAudit(tx, actor, {
    action: 'cause.save',
    subject: subjectOf(cause),
    reason: body.solvedBy ?? null,
    changes: fieldChanges(
      { state: cause.state, assignee: cause.assignee_name, waitingFor: cause.waiting_for },
      { state, assignee: assignee?.name ?? null, waitingFor },
    ),
  })
  return { cause: await announce(context, causeId) }
}

/** Adds a note to a cause. Refuses with REQUEST_INVALID if it has the maximum number of notes already. */
export async function addCauseNote(
  context: WriteContext,
  { params: { causeId }, body }: Input<'POST /causes/{causeId}/notes'>,
): Promise<Answer<'POST /causes/{causeId}/notes'>> {
  const { tx, actor } = context
  const cause = await lockCauseFor(context, causeId)
  const count = (await readCauseNotes(tx, causeId)).length
  if (count >= MAX_NOTES)
    throw new DomainError('REQUEST_INVALID', platformMessage('causeNotesFull', { max: MAX_NOTES }))
  const note = await insertCauseNote(tx, {
    causeId,
    number: count + 1,
    author: { id: actor.id, name: actor.name },
    text: body.text,
  })
  await recordAudit(tx, actor, {
    action: 'cause.note',
    subject: subjectOf(cause),
    reason: body.text,
  })
  await announce(context, causeId)
  return { note: noteView(note) }
}

/** In the audit, which never changes: without words of a message, which may become sensitive later. */
const subjectOf = ({ error_code, plugin_id }: CauseColumns): string =>
  plugin_id === null ? error_code : `${error_code} of ${plugin_id}`

/** A cause that somebody works on is no longer new, and one that nobody works on is. */
function stateFor({ state }: CauseColumns, isAssigned: boolean): CauseColumns['state'] {
  if (state === 'NEW' && isAssigned) return 'TAKEN'
  return state === 'TAKEN' && !isAssigned ? 'NEW' : state
}

/** Whether what solved it was after the present failures began. */
const isSolvedNow = ({ solved_at, opened_at }: CauseColumns): boolean =>
  solved_at !== null && solved_at >= opened_at

const assigneeOf = ({ assignee_id: id, assignee_name: name }: CauseColumns): Cause['assignee'] =>
  id === null || name === null ? null : { id, name }

async function lockCauseFor({ tx, actor }: WriteContext, causeId: string): Promise<CauseColumns> {
  if (!(await mayOfCause(tx, actor, 'read', causeId))) throw notFound('cause')
  if (!(await mayOfCause(tx, actor, 'operation:annotate', causeId)))
    throw new DomainError(
      'PERMISSION_DENIED',
      platformMessage('permissionNeeded', { permission: 'operation:annotate' }),
    )
  const cause = await lockCause(tx, causeId)
  if (cause === undefined) throw notFound('cause')
  return cause
}

/** Announces the change on the pages that show it, in up to 1,000 scopes, which counts. Returns the cause as it is now. */
async function announce(
  { tx, actor, deps: { vault }, spendMore }: WriteContext,
  causeId: string,
): Promise<Cause> {
  const members = await newestMembers(tx, causeId)
  spendMore?.(Math.floor(members.length / EVENTS_FOR_ONE))
  await emitEvents(
    tx,
    members.map(({ scope_id, operation_id }) => ({
      kind: 'operation',
      scopeId: scope_id,
      objectId: operation_id,
    })),
  )
  const found = await findCause(tx, actor, causeId)
  if (found === undefined) throw notFound('cause')
  return causeView(found.cause, actor, await hiddenShapes({ db: tx, vault }, [found.cause]))
}

/** The last recorded change of the plugin or the installation between the failure and the retry that succeeded. */
async function findChangeBefore(db: Db, actor: Actor, cause: CauseRow): Promise<ContextCause | null> {
  const { operationId, run } = cause.solved_by ?? {}
  if (operationId === undefined || run === undefined || solvedByOf(cause, actor)?.operationId == null)
    return null
  const span = await findRetrySpan(db, operationId, run)
  const operation = await findOperation(db, operationId)
  if (span === undefined || operation === undefined) return null
  const [row] = await listCauseRows(db, {
    pluginIds: cause.plugin_id === null ? [] : [cause.plugin_id],
    serviceIds: [],
    environmentKey: operation.environment_key,
    bundleInstallIds: [operation.bundle_install_id],
    except: operationId,
    since: span.failed_at,
    until: span.started_at,
    limit: 1,
  })
  if (row === undefined) return null
  const marks = await readAuditMarks(db, [row.sequence])
  return contextCauseView(row, shownChanges(row, marks), { operation, actor })[0] ?? null
}

type HoursName = 'GET /causes/hours'

/** The failures of the last 24 hours that the actor may see, by plugin and hour. */
export async function countFailureHours(
  { deps, actor }: ReadContext,
  { query }: Input<HoursName>,
): Promise<Answer<HoursName>> {
  const { since, counts } = await countFailuresByHour(deps.db, actor, query)
  const plugins = Map.groupBy(counts, ({ plugin_id }) => plugin_id)
  return {
    since,
    plugins: [...plugins].map(([pluginId, counted]) => ({
      pluginId,
      hours: Array.from({ length: HOURS }, (_, hour) => counted.find((one) => one.hour === hour)?.count ?? 0),
    })),
  }
}

/**
 * The past causes whose shape may quote a value that became sensitive since: the definition is the authority for the past too. A few
 * failures are compared; if that does not tell, the shape is hidden.
 */
async function hiddenShapes(
  { db, vault }: { db: Db; vault: Vault },
  causes: readonly Pick<CauseRow, 'cause_id' | 'messages'>[],
): Promise<ReadonlySet<string>> {
  const past = causes.flatMap(({ cause_id, messages }) => (messages.length === 0 ? [cause_id] : []))
  const marked = Map.groupBy(await listMarkedFailures(db, past), ({ cause_id }) => cause_id)
  const hidden = new Set<string>()
  for (const [causeId, failures] of marked)
    if (failures.length > MARKED_MAX || !(await areUnmasked(db, vault, failures))) hidden.add(causeId)
  return hidden
}

/** Whether these messages contain nothing that is sensitive now. */
async function areUnmasked(db: Db, vault: Vault, failures: readonly MarkedFailure[]): Promise<boolean> {
  for (const { operation_id, failure } of failures) {
    if (failure === null) return false
    const { message } = await maskedOf(db, vault, operation_id, failure)
    if (message !== failure.message) return false
  }
  return true
}

function causeView(row: CauseRow, actor: Actor, hidden: ReadonlySet<string>): Cause {
  const [newest, ...others] = row.messages
  return {
    causeId: row.cause_id,
    pluginId: row.plugin_id,
    errorCode: row.error_code,
    state: row.state,
    assignee: assigneeOf(row),
    waitingFor: row.waiting_for,
    openedAt: row.opened_at,
    updatedAt: row.updated_at,
    solvedBy: solvedByOf(row, actor),
    title:
      newest !== undefined ? commonMessage([newest, ...others]) : hidden.has(row.cause_id) ? MASK : row.shape,
    count: row.operations,
    scopes: row.scopes,
    bundles: row.bundles,
    firstAt: row.first_at,
    lastAt: row.last_at,
    latest: row.latest === null ? null : operationView(row.latest),
  }
}

/** A retry belongs to the scope of its operation; what a person says of a cause is for everybody who sees the cause. */
function solvedByOf({ solved_at, solved_by }: CauseColumns, { grants }: Actor): SolvedBy | null {
  if (solved_at === null) return null
  const isHidden = solved_by?.scope !== undefined && !mayIn(grants, 'read', solved_by.scope)
  if (solved_by === null || isHidden) return { at: solved_at, by: null, reason: null, operationId: null }
  return {
    at: solved_at,
    by: solved_by.by,
    reason: solved_by.reason,
    operationId: solved_by.operationId ?? null,
  }
}

function readCursor(cursor: string | undefined): AfterCause | undefined {
  if (cursor === undefined) return undefined
  const [readAt, ranked, lastRanked, causeId] = decodeCursor(cursor, ['number', 'number', 'number', 'string'])
  return {
    readAt: cursorInteger(readAt),
    ranked: cursorInteger(ranked),
    lastRanked: cursorInteger(lastRanked),
    causeId: String(causeId),
  }
}

import { mayIn } from '#contract/endpoint/permission.ts'
import type { Permission } from '#contract/endpoint/permission.ts'
import { BATCH_PERMISSION } from '#contract/runtime-api/batch-permission.ts'
import type { PropertyView } from '#contract/runtime-api/common.ts'
import type { Batch, BatchInput, BatchItem } from '#contract/runtime-api/batches.ts'
import type { WaitingWave, Wave } from '#contract/runtime-api/waves.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import type { BatchItemState, Phase } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import { batchStep } from '../../engine/batches/batch-step.ts'
import { unhealthyPlugins } from '../../engine/batches/waves.ts'
import { isAmong } from '../../engine/changes/compare.ts'
import type { PropertyRef } from '../../engine/changes/compare.ts'
import { countWaves, readProgress } from '../../store/batches/batch-progress.ts'
import { countPhases, listBatchRows, listItems } from '../../store/batches/list-batches.ts'
import type { CountedBatch, ItemRow } from '../../store/batches/list-batches.ts'
import { listScopesOfItems } from '../../store/batches/batches.ts'
import { readApprovalBasis } from '../../store/change-requests/change-requests.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { notFound } from '../authorize.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { hiddenIn, hide } from './show-batch.ts'
import { cursorInteger, cursorUuid, cursorValues, pageOf, encodeCursor } from '../paging.ts'

export async function listBatches(
  { deps, actor }: ReadContext,
  { query }: Input<'GET /batches'>,
): Promise<Answer<'GET /batches'>> {
  const values = cursorValues(query.cursor, ['number', 'string'])
  const rows = await listBatchRows(deps.db, actor, {
    state: query.state,
    limit: query.limit + 1,
    after:
      values === null
        ? undefined
        : { createdMicroseconds: cursorInteger(values[0]), batchId: cursorUuid(values[1]) },
  })
  const waiting = await waitingIn(deps.db, rows)
  return pageOf(rows, query.limit, {
    item: (row) => batchView(row, waiting),
    valuesOf: (row) => [row.created_microseconds, row.batch_id],
    found: rows[0]?.found,
  })
}

export async function readBatch(
  { deps, actor }: ReadContext,
  { params }: Input<'GET /batches/{batchId}'>,
): Promise<Answer<'GET /batches/{batchId}'>> {
  const row = await requireRow(deps.db, actor, params.batchId)
  const batch = batchView(row, await waitingIn(deps.db, [row]))
  const counted = await countPhases(deps.db, actor, params.batchId)
  const byWave = batch.waves && (await wavesOf(deps.db, actor, params.batchId))
  const countOf = (phase: Phase): number => counted.find((row) => row.phase === phase)?.count ?? 0
  return {
    ...batch,
    phases: {
      BEFORE_RESOURCES: countOf('BEFORE_RESOURCES'),
      RESOURCES: countOf('RESOURCES'),
      AFTER_RESOURCES: countOf('AFTER_RESOURCES'),
      DONE: countOf('DONE'),
    },
    ...(byWave && { byWave }),
    ...(batch.finishedAt === null && {
      may: await mayWith(deps.db, actor, row, batch.waiting !== undefined),
    }),
  }
}

/** What the actor may do with a batch, apart from a recent sign-in, as `continueBatch` and `stopBatch` decide it. */
async function mayWith(
  db: Db,
  { grants }: Actor,
  batch: CountedBatch,
  isWaiting: boolean,
): Promise<{ continue: boolean; stop: boolean }> {
  const scopes = await listScopesOfItems(db, batch.batch_id)
  const mayAll = (permission: Permission): boolean =>
    scopes.every((scope) => mayIn(grants, permission, scope))
  const stop = mayAll('read') && mayAll(BATCH_PERMISSION[batch.action])
  const isOverride = batch.overrides || (isWaiting && (await neededApprovals(db, batch)))
  return { stop, continue: stop && (!isOverride || mayAll('change:override')) }
}

/** Whether a batch was made by a change request that needed approvals; they were for the conditions of its waves too. */
export async function neededApprovals(
  db: Db,
  { change_request_id: id }: { change_request_id: string | null },
): Promise<boolean> {
  return id !== null && (await readApprovalBasis(db, id)).approvals_needed > 0
}

const ENVIRONMENTS_MAX = 20

async function wavesOf(db: Db, actor: Actor, batchId: string): Promise<Wave[]> {
  const rows = await countWaves(db, actor, batchId)
  return [...Map.groupBy(rows, ({ wave }) => wave)].map(([wave, of]) => ({
    wave,
    environments: [...new Set(of.flatMap(({ environments }) => environments))].slice(0, ENVIRONMENTS_MAX),
    counts: countsOf((state) => of.find((row) => row.state === state)?.count ?? 0),
    ...(of[0]?.released === true && { released: true }),
  }))
}

export async function listBatchItems(
  { deps, actor }: ReadContext,
  { params, query }: Input<'GET /batches/{batchId}/items'>,
): Promise<Answer<'GET /batches/{batchId}/items'>> {
  const values = cursorValues(query.cursor, ['number'])
  const batch = await requireRow(deps.db, actor, params.batchId)
  const rows = await listItems(deps.db, actor, params.batchId, {
    state: query.state,
    after: values === null ? -1 : Math.min(cursorInteger(values[0]), POSITION_MAX),
    limit: query.limit + 1,
  })
  const shown = rows.slice(0, query.limit)
  const last = shown.at(-1)
  return {
    items: shown.map(itemViewOf(batch)),
    ...(rows.length > shown.length && last !== undefined && { next: encodeCursor([last.position]) }),
  }
}

/** The items of a batch for display; what it hides is read once for all of them. */
function itemViewOf({ action, marks, shown_input: input }: CountedBatch): (row: ItemRow) => BatchItem {
  const isMarked = isAmong(marks)
  // another target may hide what is shown here, and have the same value
  const isHidden = hiddenIn(input)
  const show = (change: PropertyRef, view: PropertyView | null) =>
    isHidden(change) || isMarked(change) ? hide(view) : view
  return (row) => itemView(action, row, show)
}

function itemView(
  action: CountedBatch['action'],
  row: ItemRow,
  show: (change: PropertyRef, view: PropertyView | null) => PropertyView | null,
): BatchItem {
  const scope = scopeOf(row)
  const bundle = { environmentKey: row.bundle_environment_key, bundleId: row.bundle_id }
  const bundleInstallId = row.bundle_install_id
  return {
    target: action === 'INSTALL' ? scopeText(scope) : row.target,
    scope,
    bundle,
    installation: bundleInstallId === null ? null : { ...scope, bundleInstallId, bundle },
    title: row.title,
    currentVersion: row.version,
    state: row.state,
    ...(row.wave !== null && { wave: row.wave }),
    values: (row.shown_values ?? []).map((change) => ({
      ...change,
      before: show(change, change.before),
      after: show(change, change.after),
    })),
    ...(row.operation_id !== null && { operationId: row.operation_id }),
    ...(row.phase !== null && { phase: row.phase }),
    ...(row.code !== null && { code: row.code }),
    ...(row.locator !== null && { locator: row.locator }),
    ...(row.property !== null && { property: row.property }),
    ...(row.message !== null && { message: row.message }),
    ...(row.parameters !== null && { parameters: row.parameters }),
  }
}

/** Of PostgreSQL's integer, the type of the column. */
const POSITION_MAX = 2 ** 31 - 1

/** Throws NOT_FOUND if the batch does not exist, or the actor may see none of its targets. */
export async function requireBatch(db: Db, actor: Actor, batchId: string): Promise<Batch> {
  const row = await requireRow(db, actor, batchId)
  return batchView(row, await waitingIn(db, [row]))
}

async function requireRow(db: Db, actor: Actor, batchId: string): Promise<CountedBatch> {
  const [row] = await listBatchRows(db, actor, { batchIds: [batchId], limit: 1 })
  if (row === undefined) throw notFound('batch')
  return row
}

/**
 * Those of the batches that exist and have a target that the actor may see, until a page is full of their values. `left` are the IDs
 * after the last one that fits.
 */
export async function loadBatches(
  db: Db,
  actor: Actor,
  batchIds: readonly string[],
): Promise<{ batches: Batch[]; left: string[] }> {
  if (batchIds.length === 0) return { batches: [], left: [] }
  const rows = await listBatchRows(db, actor, { batchIds, limit: batchIds.length })
  const waiting = await waitingIn(db, rows)
  const last = rows.at(-1)
  const isFull = last !== undefined && last.found > rows.length
  return {
    batches: rows.map((row) => batchView(row, waiting)),
    left: isFull ? batchIds.slice(batchIds.indexOf(last.batch_id) + 1) : [],
  }
}

/** The input for display, without the values of properties that were marked as sensitive later. */
function maskedInput({ shown_input: input, marks }: CountedBatch): BatchInput {
  const isMarked = isAmong(marks)
  return {
    ...input,
    properties: input.properties.map((shown) =>
      isMarked(shown) ? { ...shown, after: hide(shown.after) } : shown,
    ),
  }
}

/** Those of the batches that wait between waves, and why. */
async function waitingIn(db: Db, rows: readonly CountedBatch[]): Promise<ReadonlyMap<string, WaitingWave>> {
  const divided = rows.filter(({ waves, state }) => waves !== null && state === 'RUNNING')
  const waiting = new Map<string, WaitingWave>()
  if (divided.length === 0) return waiting
  const progress = await readProgress(
    db,
    divided.map(({ batch_id }) => batch_id),
  )
  for (const [batchId, one] of progress) {
    const step = batchStep(one)
    if (step.kind !== 'hold' || one.next === null) continue
    const isSoaking = step.because.includes('SOAK') && one.resultAt !== null
    waiting.set(batchId, {
      wave: step.wave,
      because: step.because,
      ...(isSoaking && { until: later(one.resultAt ?? '', one.next.waves.soakSeconds) }),
      plugins: unhealthyPlugins(one.next),
    })
  }
  return waiting
}

const later = (at: string, seconds: number): string =>
  new Date(Date.parse(at) + seconds * 1_000).toISOString()

const countsOf = (countOf: (state: BatchItemState) => number): Batch['counts'] => ({
  PENDING: countOf('PENDING'),
  RUNNING: countOf('RUNNING'),
  SUCCEEDED: countOf('SUCCEEDED'),
  FAILED: countOf('FAILED'),
  REFUSED: countOf('REFUSED'),
  SKIPPED: countOf('SKIPPED'),
})

function batchView(row: CountedBatch, waiting: ReadonlyMap<string, WaitingWave>): Batch {
  const waits = waiting.get(row.batch_id)
  const visible = Object.values(row.counts).reduce((sum, count) => sum + count, 0)
  return {
    batchId: row.batch_id,
    action: row.action,
    title: row.title === '' ? null : row.title,
    // the summary of all targets would reveal bundles and versions in scopes that the person may not see
    summary: row.summary?.targets === visible ? row.summary : null,
    input: maskedInput(row),
    first: row.first,
    concurrency: row.concurrency,
    stopAfterFailures: row.stop_after_failures,
    reason: row.reason,
    state: row.state,
    because: row.because,
    ...(row.overrides && { overrides: true }),
    ...(row.change_request_id !== null && { changeRequestId: row.change_request_id }),
    requestedBy: { id: row.requested_by_id, name: row.requested_by_name },
    ...(row.stopped_by_id !== null && {
      stoppedBy: { id: row.stopped_by_id, name: row.stopped_by_name ?? '' },
    }),
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    counts: countsOf((state) => row.counts[state] ?? 0),
    ...(row.waves !== null && { waves: row.waves }),
    ...(waits !== undefined && { waiting: waits }),
  }
}

import type { PropertyView } from '#contract/runtime-api/common.ts'
import type { Batch, BatchInput, BatchItem } from '#contract/runtime-api/batches.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import type { BatchItemState, Phase } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import { countPhases, listBatches as listRows, listItems } from '../../store/batches/list-batches.ts'
import type { CountedBatch, ItemRow } from '../../store/batches/list-batches.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { notFound } from '../authorize.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { hiddenIn, hide, keyOf } from './show-batch.ts'
import { cursorInteger, cursorUuid, cursorValues, pageOf, encodeCursor } from '../paging.ts'

export async function listBatches(
  { deps, actor }: ReadContext,
  { query }: Input<'GET /batches'>,
): Promise<Answer<'GET /batches'>> {
  const values = cursorValues(query.cursor, ['number', 'string'])
  const rows = await listRows(deps.db, actor, {
    state: query.state,
    limit: query.limit + 1,
    after:
      values === null
        ? undefined
        : { createdMicroseconds: cursorInteger(values[0]), batchId: cursorUuid(values[1]) },
  })
  return pageOf(rows, query.limit, {
    item: batchView,
    valuesOf: (row) => [row.created_microseconds, row.batch_id],
  })
}

export async function readBatch(
  { deps, actor }: ReadContext,
  { params }: Input<'GET /batches/{batchId}'>,
): Promise<Answer<'GET /batches/{batchId}'>> {
  const batch = await requireBatch(deps.db, actor, params.batchId)
  const counted = await countPhases(deps.db, actor, params.batchId)
  const countOf = (phase: Phase): number => counted.find((row) => row.phase === phase)?.count ?? 0
  return {
    ...batch,
    phases: {
      BEFORE_RESOURCES: countOf('BEFORE_RESOURCES'),
      RESOURCES: countOf('RESOURCES'),
      AFTER_RESOURCES: countOf('AFTER_RESOURCES'),
      DONE: countOf('DONE'),
    },
  }
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
    items: shown.map((row) => itemView(batch, row)),
    ...(rows.length > shown.length && last !== undefined && { next: encodeCursor([last.position]) }),
  }
}

function itemView({ action, marks, shown_input: input }: CountedBatch, row: ItemRow): BatchItem {
  const scope = scopeOf(row)
  const bundle = { environmentKey: row.bundle_environment_key, bundleId: row.bundle_id }
  const bundleInstallId = row.bundle_install_id
  const hidden = hiddenIn(input)
  return {
    target: action === 'INSTALL' ? scopeText(scope) : row.target,
    scope,
    bundle,
    installation: bundleInstallId === null ? null : { ...scope, bundleInstallId, bundle },
    title: row.title,
    currentVersion: row.version,
    state: row.state,
    values: (row.shown_values ?? []).map((change) => {
      // another target may hide what is shown here, and have the same value
      const show = (view: PropertyView | null) =>
        hidden.has(keyOf(change)) ? hide(view) : maskedBy(marks, change, view)
      return { ...change, before: show(change.before), after: show(change.after) }
    }),
    ...(row.operation_id !== null && { operationId: row.operation_id }),
    ...(row.phase !== null && { phase: row.phase }),
    ...(row.code !== null && { code: row.code }),
    ...(row.message !== null && { message: row.message }),
    ...(row.parameters !== null && { parameters: row.parameters }),
  }
}

/** Of PostgreSQL's integer, the type of the column. */
const POSITION_MAX = 2 ** 31 - 1

/** Throws NOT_FOUND if the batch does not exist, or the actor may see none of its targets. */
export async function requireBatch(db: Db, actor: Actor, batchId: string): Promise<Batch> {
  return batchView(await requireRow(db, actor, batchId))
}

async function requireRow(db: Db, actor: Actor, batchId: string): Promise<CountedBatch> {
  const [row] = await listRows(db, actor, { batchIds: [batchId], limit: 1 })
  if (row === undefined) throw notFound('batch')
  return row
}

/** Those of the batches that exist and have a target that the actor may see. */
export async function loadBatches(db: Db, actor: Actor, batchIds: readonly string[]): Promise<Batch[]> {
  if (batchIds.length === 0) return []
  return (await listRows(db, actor, { batchIds, limit: batchIds.length })).map(batchView)
}

type Marks = CountedBatch['marks']

/** A value for display, hidden if its property was marked as sensitive later. */
function maskedBy(
  marks: Marks,
  { locator, property }: Marks[number],
  view: PropertyView | null,
): PropertyView | null {
  const isMarked = marks.some((mark) => locator === mark.locator && property === mark.property)
  return isMarked ? hide(view) : view
}

/** The input for display, without the values of properties that were marked as sensitive later. */
function maskedInput({ shown_input: input, marks }: CountedBatch): BatchInput {
  return {
    ...input,
    properties: input.properties.map((shown) => ({ ...shown, after: maskedBy(marks, shown, shown.after) })),
  }
}

function batchView(row: CountedBatch): Answer<'GET /batches/{batchId}'> {
  const countOf = (state: BatchItemState): number => row.counts[state] ?? 0
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
    requestedBy: { id: row.requested_by_id, name: row.requested_by_name },
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    counts: {
      PENDING: countOf('PENDING'),
      RUNNING: countOf('RUNNING'),
      SUCCEEDED: countOf('SUCCEEDED'),
      FAILED: countOf('FAILED'),
      REFUSED: countOf('REFUSED'),
      SKIPPED: countOf('SKIPPED'),
    },
  }
}

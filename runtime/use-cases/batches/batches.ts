import { sql } from 'kysely'
import type { Changes, PropertyChange } from '#contract/runtime-api/common.ts'
import { mayIn } from '#contract/endpoint/permission.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { BATCH_REFERENCES_MAX } from '#contract/runtime-api/batches.ts'
import type { BatchInput, BatchRequest } from '#contract/runtime-api/batches.ts'
import { BATCH_PERMISSION } from '#contract/runtime-api/batch-permission.ts'
import type { BatchAction, BatchItemState } from '#contract/runtime-api/vocabulary.ts'
import { uuidv7 } from '#http-kit/ids.ts'
import { propertyView } from '../../engine/changes/change-view.ts'
import { DomainError } from '../../engine/refusals.ts'
import { claimOf, identityOf } from '../../engine/views.ts'
import { getOwn } from '#contract/json-schema/get-own.ts'
import { schemaTitle } from '#contract/json-schema/schema-title.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import { batchPlace } from '../../sealing/places.ts'
import { listBatches as listRows, listItems } from '../../store/batches/list-batches.ts'
import type { CountedBatch } from '../../store/batches/list-batches.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { lockBatch, moveBatch, skipPending } from '../../store/batches/run-items.ts'
import { recordAudit } from '../audit/record.ts'
import { authorize, notFound, requireRecentSignIn } from '../authorize.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'
import { cursorInteger, cursorUuid, cursorValues, pageOf, encodeCursor } from '../paging.ts'
import { planAt, problemsOf } from '../plans/plan-view.ts'
import { brokenReferences } from '../registry/services.ts'
import { recordRefusal } from './record-refusal.ts'
import { batchTokenOf, refuseMovedTargets } from './batch-token.ts'
import { changesText, inputOf, planTargets } from './targets.ts'
import type { PlannedTarget } from './targets.ts'
import { subjectOf, summaryOf } from './summary.ts'

/** What a batch would do to each target. Refuses only targets that the actor may not see. */
export function planBatch(
  context: ReadContext,
  { body }: Input<'POST /batches/plan'>,
): Promise<Answer<'POST /batches/plan'>> {
  const { actor, deps } = context
  return planAt(context, async (db) => {
    const planned = await planTargets({ db, vault: deps.vault, actor }, body)
    const detached = planned.filter(({ refusals }) => refusals.length === 0)
    return {
      planToken: batchTokenOf(deps, body, planned),
      broken:
        body.action === 'DETACH' || body.action === 'TAKEOVER'
          ? await brokenReferences(db, actor, {
              bundleInstallIds: detached.map(({ installation }) => installation.bundle_install_id),
              limit: BATCH_REFERENCES_MAX,
            })
          : null,
      items: planned.map(({ target, installation, part, plan, changes, failure, refusals }) => ({
        target,
        installation: identityOf(installation),
        title: installation.title,
        currentVersion: installation.version,
        claim: claimOf(installation),
        changes: changes.length,
        values: changes.filter(isSetBy(body)),
        resources: plan?.resources.length ?? 0,
        failure,
        plugins: plan?.plugins.map(({ pluginId }) => pluginId) ?? [],
        unchecked: uncheckedIn(part),
        problems: refusals.flatMap(problemsOf),
      })),
    }
  })
}

/**
 * Makes a batch. Its targets are frozen, and each is planned: a target that would be refused now is REFUSED and never
 * starts. Refuses with NOT_FOUND or PERMISSION_DENIED if the actor may not do this to every target, and with PLAN_STALE
 * if the plan of a target has moved.
 */
export async function createBatch(
  context: WriteContext,
  { body }: Input<'POST /batches'>,
): Promise<Answer<'POST /batches'>> {
  const { tx, actor, deps } = context
  const { vault } = deps
  const planned = await planTargets({ db: tx, vault, actor }, body)
  const denied = planned.flatMap(({ refusals }) =>
    refusals.filter(({ code }) => code === 'PERMISSION_DENIED'),
  )
  if (denied[0] !== undefined) throw denied[0]
  if (body.action === 'TAKEOVER') requireRecentSignIn(actor)
  if (body.planToken !== undefined) await refuseMovedTargets({ db: tx, vault }, body.planToken, body, planned)
  const batchId = uuidv7(deps)
  const acting = actingFor(actor, batchId, body.action)
  const input = inputOf(body)
  const stopsAtOnce = planned.every(({ refusals }) => refusals.length > 0)
  await tx
    .insertInto('runtime.batch')
    .values({
      batch_id: batchId,
      action: body.action,
      title: body.title ?? '',
      summary: JSON.stringify(summaryOf(planned)),
      input: vault.seal(Buffer.from(JSON.stringify(input)), batchPlace(batchId)),
      shown_input: JSON.stringify(shownInput(input, planned)),
      first: body.first ?? null,
      concurrency: body.concurrency,
      stop_after_failures: body.stopAfterFailures ?? null,
      reason: body.reason ?? null,
      state: 'RUNNING',
      because: null,
      is_released: false,
      requested_by_id: actor.id,
      requested_by_name: actor.name,
      actor: JSON.stringify(acting),
      grants_until: grantsUntil,
      finished_at: null,
    })
    .execute()
  const rows = planned.map((one, position) => {
    const [problem] = one.refusals.flatMap(problemsOf)
    return {
      batch_id: batchId,
      position,
      target: one.target,
      bundle_install_id: one.installation.bundle_install_id,
      scope_id: one.scopeId,
      state: problem === undefined ? ('PENDING' as const) : ('REFUSED' as const),
      refused_in_plan: problem !== undefined,
      run: one.run,
      plan_token: one.token,
      changes_digest:
        one.plan === null ? null : vault.digest(changesText(body.action, inputOf(body), one.plan)),
      code: problem?.errorCode ?? null,
      message: problem?.message ?? null,
      parameters: problem?.parameters === undefined ? null : JSON.stringify(problem.parameters),
      ended_at: problem === undefined ? null : sql<string>`clock_timestamp()`,
    }
  })
  await tx.insertInto('runtime.batch_item').values(rows).execute()
  // as an update, like every other end of a batch, so that it is reported with its counts
  if (stopsAtOnce) await moveBatch(tx, batchId, { state: 'DONE', because: null, isFinished: true })
  await recordAudit(tx, actor, {
    action: 'batch.create',
    ...subjectOf(
      batchId,
      body.action,
      planned.map(({ installation }) => scopeOf(installation)),
    ),
    reason: body.reason ?? null,
  })
  for (const { target, installation, refusals } of planned) {
    const [problem] = refusals.flatMap(problemsOf)
    if (problem === undefined) continue
    await recordRefusal(
      tx,
      acting,
      { action: body.action, reason: body.reason ?? null },
      {
        target,
        bundleInstallId: installation.bundle_install_id,
        scope: scopeOf(installation),
        errorCode: problem.errorCode,
      },
    )
  }
  return { batch: await requireBatch(tx, actor, batchId) }
}

/** The plugins that the operation of a target would call without the report that its environment asks for. */
const uncheckedIn = (
  part: PlannedTarget['part'],
): Answer<'POST /batches/plan'>['items'][number]['unchecked'] =>
  (part?.plan?.plugins ?? []).flatMap(({ pluginId }) => {
    const found = part?.unchecked.get(pluginId)
    return found === undefined ? [] : [{ pluginId, ...found }]
  })

/** Whether the request sets the property of a change, rather than a new default or what the version drops. */
function isSetBy(request: BatchRequest): (change: PropertyChange) => boolean {
  const { properties, fill, changes } = inputOf(request)
  return ({ locator, property }) =>
    [properties, fill, changes].some((of) => Object.hasOwn(of?.[locator] ?? {}, property))
}

/** The person for whom items are carried out, with the permissions that this action needs and no others. */
function actingFor(person: Actor, batchId: string, action: BatchAction): Actor {
  const { signedInRecently: _, ...actor } = person
  const needed = ['read', BATCH_PERMISSION[action]] as const
  return {
    ...actor,
    grants: actor.grants.map(({ permissions, scope }) => ({
      permissions: permissions.filter((permission) => needed.some((one) => one === permission)),
      scope,
    })),
    // what the items do is not part of the request that made the batch
    requestId: batchId,
  }
}

/** The grants of a person are kept for at most this long: then somebody must continue the batch. */
const grantsUntil = sql<string>`clock_timestamp() + interval '24 hours'`

/** What a batch does, for display: sensitive values are hidden by the definitions of the targets. */
function shownInput(
  { targetVersion, properties = {}, fill = {}, changes = {} }: ReturnType<typeof inputOf>,
  planned: readonly PlannedTarget[],
): BatchInput {
  const definitionOf = (locator: string, property: string) => {
    const found = planned.flatMap(({ plan }) => {
      const resource = plan?.resources.find((one) => one.locator === locator)
      const definition = resource && getOwn(resource.definitions, property)
      return definition === undefined ? [] : [definition]
    })
    return found.find(({ isSensitive }) => isSensitive === true) ?? found[0]
  }
  const valuesIn = (given: Changes) =>
    Object.entries(given).flatMap(([locator, values]) =>
      Object.entries(values).map(([property, value]) => {
        const definition = definitionOf(locator, property)
        // nothing is known about it, so it is treated as sensitive
        const view = propertyView(definition ?? { kind: 'DATA', schema: true, isSensitive: true }, value)
        const title = schemaTitle(definition?.schema)
        return {
          locator,
          property,
          ...(title !== undefined && { title }),
          after: value === null ? null : view,
        }
      }),
    )
  return {
    targetVersion: targetVersion ?? null,
    properties: [
      ...valuesIn(properties),
      ...valuesIn(changes),
      ...valuesIn(fill).map((shown) => ({ ...shown, fills: true })),
    ],
  }
}

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

export function readBatch(
  { deps, actor }: ReadContext,
  { params }: Input<'GET /batches/{batchId}'>,
): Promise<Answer<'GET /batches/{batchId}'>> {
  return requireBatch(deps.db, actor, params.batchId)
}

export async function listBatchItems(
  { deps, actor }: ReadContext,
  { params, query }: Input<'GET /batches/{batchId}/items'>,
): Promise<Answer<'GET /batches/{batchId}/items'>> {
  const values = cursorValues(query.cursor, ['number'])
  await requireBatch(deps.db, actor, params.batchId)
  const rows = await listItems(deps.db, actor, params.batchId, {
    state: query.state,
    after: values === null ? -1 : Math.min(cursorInteger(values[0]), POSITION_MAX),
    limit: query.limit + 1,
  })
  const shown = rows.slice(0, query.limit)
  const last = shown.at(-1)
  return {
    items: shown.map((row) => ({
      target: row.target,
      installation: {
        environmentKey: row.environment_key,
        applicationRuntimeId: row.application_runtime_id,
        workspaceId: row.workspace_id,
        bundleInstallId: row.bundle_install_id,
        bundle: { environmentKey: row.bundle_environment_key, bundleId: row.bundle_id },
      },
      title: row.title,
      currentVersion: row.version,
      state: row.state,
      ...(row.operation_id !== null && { operationId: row.operation_id }),
      ...(row.code !== null && { code: row.code }),
      ...(row.message !== null && { message: row.message }),
      ...(row.parameters !== null && { parameters: row.parameters }),
    })),
    ...(rows.length > shown.length && last !== undefined && { next: encodeCursor([last.position]) }),
  }
}

/** Of PostgreSQL's integer, the type of the column. */
const POSITION_MAX = 2 ** 31 - 1

/** Continues a paused batch, for the person who continues it: their grants are used from now on. */
export async function continueBatch(
  context: WriteContext,
  { params, body }: Input<'POST /batches/{batchId}/continue'>,
): Promise<Answer<'POST /batches/{batchId}/continue'>> {
  const { tx, actor } = context
  const { batch, scopes } = await lockFor(context, params.batchId)
  if (batch.action === 'TAKEOVER') requireRecentSignIn(actor)
  if (batch.state !== 'PAUSED')
    throw new DomainError('BATCH_NOT_PAUSED', platformMessage('batchNotPaused', { actual: batch.state }))
  await tx
    .updateTable('runtime.batch')
    .set({
      state: 'RUNNING',
      because: null,
      // only the first items were held back for a look at their results
      is_released: batch.is_released || batch.because === 'FIRST',
      actor: JSON.stringify(actingFor(actor, batch.batch_id, batch.action)),
      grants_until: grantsUntil,
    })
    .where('batch_id', '=', batch.batch_id)
    .execute()
  await recordAudit(tx, actor, {
    action: 'batch.continue',
    ...subjectOf(batch.batch_id, batch.action, scopes),
    reason: body.reason ?? null,
  })
  return { batch: await requireBatch(tx, actor, batch.batch_id) }
}

/** Stops a batch: what has started ends, and the rest is skipped. */
export async function stopBatch(
  context: WriteContext,
  { params, body }: Input<'POST /batches/{batchId}/stop'>,
): Promise<Answer<'POST /batches/{batchId}/stop'>> {
  const { tx, actor } = context
  const { batch, scopes } = await lockFor(context, params.batchId)
  if (batch.state === 'DONE' || batch.state === 'STOPPED')
    throw new DomainError('BATCH_FINISHED', platformMessage('batchFinished'))
  await skipPending(tx, batch.batch_id)
  await moveBatch(tx, batch.batch_id, { state: 'STOPPED', because: 'PERSON' })
  await recordAudit(tx, actor, {
    action: 'batch.stop',
    ...subjectOf(batch.batch_id, batch.action, scopes),
    reason: body.reason ?? null,
  })
  return { batch: await requireBatch(tx, actor, batch.batch_id) }
}

/** Locks a batch with the scope of each target, if the actor has its permission for every one. */
async function lockFor({ tx, actor }: WriteContext, batchId: string) {
  await requireBatch(tx, actor, batchId)
  const batch = await lockBatch(tx, batchId)
  if (batch === undefined) throw notFound('batch')
  const rows = await tx
    .selectFrom('runtime.batch_item as item')
    .innerJoin('runtime.scope as scope', 'scope.scope_id', 'item.scope_id')
    .select(['scope.environment_key', 'scope.application_runtime_id', 'scope.workspace_id'])
    .where('item.batch_id', '=', batchId)
    .execute()
  const scopes = rows.map(scopeOf)
  for (const scope of scopes) {
    if (!mayIn(actor.grants, 'read', scope)) throw notFound('batch')
    authorize(actor, BATCH_PERMISSION[batch.action], scope)
  }
  return { batch, scopes }
}

async function requireBatch(db: Db, actor: Actor, batchId: string) {
  const [row] = await listRows(db, actor, { batchId, limit: 1 })
  if (row === undefined) throw notFound('batch')
  return batchView(row)
}

/** The input for display, without the values of properties that were marked as sensitive later. */
function maskedInput({ shown_input: input, marks }: CountedBatch): BatchInput {
  return {
    ...input,
    properties: input.properties.map((shown) =>
      shown.after?.['@type'] === 'Data' &&
      marks.some(({ locator, property }) => locator === shown.locator && property === shown.property)
        ? { ...shown, after: { '@type': 'Data', isSensitive: true, isSet: true } }
        : shown,
    ),
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

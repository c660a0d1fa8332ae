import type { Changes } from '#contract/runtime-api/common.ts'
import { BATCH_PERMISSION } from '#contract/runtime-api/batch-permission.ts'
import type { BatchInput } from '#contract/runtime-api/batches.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { BatchAction } from '#contract/runtime-api/vocabulary.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import { schemaTitle } from '#contract/json-schema/references.ts'
import { uuidv7 } from '#http-kit/random.ts'
import { propertyView } from '../../engine/changes/change-view.ts'
import type { Actor } from '../../model/actor.ts'
import type { Tx } from '../../model/db.ts'
import { batchPlace } from '../../sealing/places.ts'
import { makeScope } from '../../store/configuration/scopes.ts'
import { insertBatch, insertItems } from '../../store/batches/batches.ts'
import { moveBatch } from '../../store/batches/run-items.ts'
import { recordAudit } from '../audit/record.ts'
import { requireRecentSignIn } from '../authorize.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { canonicalText } from '../plans/plan-token.ts'
import { problemsOf } from '../plans/plan-view.ts'
import { refuseMovedTargets } from './batch-token.ts'
import { requireBatch } from './read-batches.ts'
import { recordRefusal } from './record-refusal.ts'
import { subjectOf, summaryOf } from './summary.ts'
import { changesText, inputFor, inputOf, isSetBy, planTargets } from './targets.ts'
import type { BatchInputParts, PlannedTarget } from './targets.ts'

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
  await insertBatch(tx, {
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
    requested_by_id: actor.id,
    requested_by_name: actor.name,
    actor: JSON.stringify(acting),
  })
  const scopeIds = await makeScopes(tx, actor, planned)
  const items = planned.map((one, position) => {
    const [problem] = one.refusals.flatMap(problemsOf)
    return {
      batch_id: batchId,
      position,
      // an installation gets this id when its item starts
      target: one.installation === null ? uuidv7(deps) : one.target,
      bundle_install_id: one.installation?.bundle_install_id ?? null,
      scope_id: scopeIds[position]!,
      refused_in_plan: problem !== undefined,
      run: one.run,
      plan_token: one.token,
      changes_digest:
        // a new installation has no values that somebody else could have saved
        one.plan === null || one.installation === null
          ? null
          : vault.digest(changesText(body.action, inputFor(input, one.target), one.plan)),
      shown_values: JSON.stringify(one.changes.filter(isSetBy(body, one.target))),
      code: problem?.errorCode ?? null,
      message: problem?.message ?? null,
      parameters: problem?.parameters === undefined ? null : JSON.stringify(problem.parameters),
    }
  })
  await insertItems(tx, items)
  // as an update, like every other end of a batch, so that it is reported with its counts
  if (stopsAtOnce) await moveBatch(tx, batchId, { state: 'DONE', because: null, isFinished: true })
  await recordAudit(tx, actor, {
    action: 'batch.create',
    ...subjectOf(
      batchId,
      body.action,
      planned.map(({ scope }) => scope),
    ),
    reason: body.reason ?? null,
  })
  for (const { target, scope, installation, refusals } of planned) {
    const [problem] = refusals.flatMap(problemsOf)
    if (problem === undefined) continue
    await recordRefusal(
      tx,
      acting,
      { action: body.action, reason: body.reason ?? null },
      {
        target,
        ...(installation !== null && { bundleInstallId: installation.bundle_install_id }),
        scope,
        errorCode: problem.errorCode,
      },
    )
  }
  return { batch: await requireBatch(tx, actor, batchId) }
}

/** The scope of each target, in their order. One that does not exist is made, so that the items say where they install. */
async function makeScopes(tx: Tx, actor: Actor, planned: readonly PlannedTarget[]): Promise<number[]> {
  const made = new Map<string, number>()
  // in one order, as each is locked
  const missing = planned
    .filter(({ scopeId }) => scopeId === null)
    .toSorted((a, b) => (a.target < b.target ? -1 : 1))
  for (const { target, scope } of missing) made.set(target, (await makeScope(tx, scope, actor)).scope_id)
  return planned.map(({ target, scopeId }) => scopeId ?? made.get(target)!)
}

/** The person for whom items are carried out, with the permissions that this action needs and no others. */
export function actingFor(person: Actor, batchId: string, action: BatchAction): Actor {
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

/**
 * What a batch does, for display: sensitive values are hidden by the definitions of the targets. An own value is also
 * hidden if the definition of one of its targets is not known: another target may have a version that does not hide it.
 */
function shownInput(
  { bundle, targetVersion, properties = {}, fill = {}, changes = {}, values = {} }: BatchInputParts,
  planned: readonly PlannedTarget[],
): BatchInput {
  const definitionIn = ({ plan }: PlannedTarget, locator: string, property: string) => {
    const resource = plan?.resources.find((one) => one.locator === locator)
    return resource && getOwn(resource.definitions, property)
  }
  const definitionOf = (locator: string, property: string) => {
    const found = planned.flatMap((one) => definitionIn(one, locator, property) ?? [])
    return found.find(({ isSensitive }) => isSensitive === true) ?? found[0]
  }
  const viewOf = (definition: PropertyDefinition | undefined, value: TypedValue | null) =>
    // nothing is known about it, so it is treated as sensitive
    value === null ? null : propertyView(definition ?? UNKNOWN, value)
  const titled = (locator: string, property: string) => {
    const title = schemaTitle(definitionOf(locator, property)?.schema)
    return { locator, property, ...(title !== undefined && { title }) }
  }
  const valuesIn = (given: Changes) =>
    entriesOf(given).map(({ locator, property, value }) => ({
      ...titled(locator, property),
      after: viewOf(definitionOf(locator, property), value),
    }))
  const byTarget = new Map(planned.map((one) => [one.target, one]))
  const own = Map.groupBy(
    Object.entries(values).flatMap(([target, given]) =>
      entriesOf(given).map((entry) => ({ ...entry, planned: byTarget.get(target) })),
    ),
    ({ locator, property }) => JSON.stringify([locator, property]),
  )
  const ownValues = [...own.values()].map((all) => {
    const { locator, property } = all[0]!
    const isKnown = all.every((one) => one.planned && definitionIn(one.planned, locator, property))
    const definition = isKnown ? definitionOf(locator, property) : undefined
    // as they are shown, because nobody may see whether hidden values are equal
    const views = all.map(({ value }) => viewOf(definition, value))
    const differs = new Set(views.map(canonicalText)).size > 1
    return {
      ...titled(locator, property),
      after: differs ? null : (views[0] ?? null),
      targets: all.length,
      ...(differs && { differs: true as const }),
    }
  })
  return {
    ...(bundle !== undefined && { bundle }),
    targetVersion: targetVersion ?? null,
    properties: [
      ...valuesIn(properties),
      ...valuesIn(changes),
      ...ownValues,
      ...valuesIn(fill).map((one) => ({ ...one, fills: true })),
    ],
  }
}

const UNKNOWN: PropertyDefinition = { kind: 'DATA', schema: true, isSensitive: true }

const entriesOf = (given: Changes) =>
  Object.entries(given).flatMap(([locator, set]) =>
    Object.entries(set).map(([property, value]) => ({ locator, property, value })),
  )

import { deepEqual, getOwn } from '#contract/json-schema/json.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { PropertyChange } from '#contract/runtime-api/common.ts'
import type { Comparable, RegistrationThen } from '#contract/runtime-api/operation-comparison.ts'
import { inTransaction } from '#database/transaction.ts'
import { withMarks } from '../../engine/calls/sensitive-values.ts'
import { propertyView } from '../../engine/changes/change-view.ts'
import { DomainError } from '../../engine/refusals.ts'
import { mergedWrites } from '../../engine/steps/plugin-writes.ts'
import { callLimits } from '../../engine/steps/prepare-call.ts'
import { identityOf } from '../../engine/views.ts'
import type { Db } from '../../model/db.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import type { Vault } from '../../model/vault.ts'
import { listRegistrationChanges } from '../../store/audit.ts'
import { readMarksSince } from '../../store/configuration/sensitivity.ts'
import { callOf, readCallsWithoutRequests } from '../../store/operations/calls.ts'
import { findLastGood, findOperation, listSiblings } from '../../store/operations/operations.ts'
import type { TitledOperation } from '../../store/operations/operations.ts'
import { bytesOfValues, readPlan } from '../../store/operations/plans.ts'
import { findPlugin } from '../../store/plugins/plugins.ts'
import type { PluginRow } from '../../store/plugins/plugins.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { findVisibleOperation } from './runs.ts'

type Name = 'GET /operations/{operationId}/comparison'

const SIBLINGS_MAX = 20
const VALUES_MAX = 200

/**
 * An operation beside one that succeeded. Refuses with NOT_FOUND, also if the caller may not read the other one, and with
 * REQUEST_INVALID if that one is of another bundle or did not succeed.
 */
export function compareOperations(
  { deps: { db, vault }, actor, hasRead }: ReadContext,
  { params: { operationId }, query }: Input<Name>,
): Promise<Answer<Name>> {
  return inTransaction(
    db,
    async (tx) => {
      const operation = await findVisibleOperation(tx, actor, operationId)
      const good = await findLastGood(tx, operation)
      const lastGood = good === null ? undefined : await findOperation(tx, good.operation_id)
      const siblings = await listSiblings(tx, actor, operation, SIBLINGS_MAX)
      const other =
        query.with === undefined
          ? (lastGood ?? siblings[0])
          : await requireComparable(tx, operation, await findVisibleOperation(tx, actor, query.with))
      const shown = {
        lastGood: lastGood === undefined ? null : comparableView(lastGood),
        siblings: siblings.map(comparableView),
      }
      if (other === undefined)
        return { ...shown, other: null, values: [], moreValues: 0, registrations: [], registrationsCut: [] }
      const [before, after] = [await sideOf(tx, vault, other), await sideOf(tx, vault, operation)]
      hasRead?.(bytesOfValues(before.plan) + bytesOfValues(after.plan))
      const values = valueChanges(before.plan, after.plan)
      return {
        ...shown,
        other: comparableView(other),
        values: values.slice(0, VALUES_MAX),
        moreValues: Math.max(0, values.length - VALUES_MAX),
        ...(await registrationChanges(tx, before, after)),
      }
    },
    { isolation: 'repeatable read' },
  )
}

async function requireComparable(
  db: Db,
  operation: { bundle_environment_key: string; bundle_id: string; operation_id: string },
  { operation_id }: { operation_id: string },
): Promise<TitledOperation> {
  const other = await findOperation(db, operation_id)
  const isComparable =
    other !== undefined &&
    other.state === 'SUCCEEDED' &&
    other.operation_id !== operation.operation_id &&
    other.bundle_id === operation.bundle_id &&
    other.bundle_environment_key === operation.bundle_environment_key
  if (isComparable) return other
  const message = 'Must be another operation of the same bundle that succeeded'
  throw new DomainError('REQUEST_INVALID', `with: ${message}`, {
    details: [{ path: 'query.with', errorCode: 'REQUEST_INVALID', message }],
  })
}

const comparableView = (row: TitledOperation): Comparable => ({
  operationId: row.operation_id,
  operationType: row.operation_type,
  targetVersion: row.target_version,
  installation: identityOf(row),
  title: row.installation_title,
  // it has succeeded
  finishedAt: row.finished_at ?? row.created_at,
})

interface Side {
  /** With later sensitive marks, and with what plugins wrote. */
  plan: FrozenPlan
  /** Until when its plugins were called; null if it has not ended. */
  until: string | null
}

async function sideOf(
  db: Db,
  vault: Vault,
  {
    operation_id,
    operation_type,
    finished_at,
  }: Pick<TitledOperation, 'operation_id' | 'operation_type' | 'finished_at'>,
): Promise<Side> {
  const plan = withMarks(await readPlan(db, vault, operation_id), await readMarksSince(db, operation_id))
  const calls = await readCallsWithoutRequests(db, vault, operation_id)
  const written = mergedWrites(calls.map(callOf), operation_type)
  const resources = plan.resources.map((resource) => ({
    ...resource,
    properties: { ...resource.properties, ...getOwn(written, resource.locator) },
  }))
  return { plan: { ...plan, resources }, until: finished_at }
}

/** The values that differ. What one of the plans hides is hidden on both sides, and only differs in being set. */
function valueChanges(before: FrozenPlan, after: FrozenPlan): PropertyChange[] {
  const [old, now] = [before, after].map(
    ({ resources }) => new Map(resources.map((resource) => [resource.locator, resource])),
  )
  const locators = new Set([...(now?.keys() ?? []), ...(old?.keys() ?? [])])
  return [...locators].flatMap((locator) => {
    const [one, other] = [old?.get(locator), now?.get(locator)]
    const names = new Set([...Object.keys(other?.properties ?? {}), ...Object.keys(one?.properties ?? {})])
    return [...names].flatMap((property) => {
      const [was, is] = [one, other].map((resource) => getOwn(resource?.properties ?? {}, property) ?? null)
      const definitions = [one, other].flatMap(
        (resource) => getOwn(resource?.definitions ?? {}, property) ?? [],
      )
      const view = (value: TypedValue | null | undefined) =>
        propertyView(strictest(definitions), value ?? null)
      const change = { locator, property, before: view(was), after: view(is) }
      return deepEqual(change.before, change.after) ? [] : [change]
    })
  })
}

const strictest = (definitions: readonly PropertyDefinition[]): PropertyDefinition | undefined =>
  definitions.find(({ isSensitive }) => isSensitive === true) ?? definitions.at(-1)

async function registrationChanges(
  db: Db,
  before: Side,
  after: Side,
): Promise<Pick<Answer<Name>, 'registrations' | 'registrationsCut'>> {
  const called = ({ plan }: Side) => new Set(plan.plugins.map(({ pluginId }) => pluginId))
  const [ofBefore, ofAfter] = [called(before), called(after)]
  const [registrations, registrationsCut]: [Answer<Name>['registrations'], string[]] = [[], []]
  for (const pluginId of new Set([...ofBefore, ...ofAfter])) {
    const current = await findPlugin(db, pluginId)
    const then = async ({ until }: Side): Promise<RegistrationThen | null> => {
      if (current === undefined) return null
      const { registration, isComplete } = await registrationAt(db, current, until)
      if (!isComplete && registrationsCut.at(-1) !== pluginId) registrationsCut.push(pluginId)
      return registration
    }
    const pair = {
      pluginId,
      before: ofBefore.has(pluginId) ? await then(before) : null,
      after: ofAfter.has(pluginId) ? await then(after) : null,
    }
    if (!deepEqual(pair.before, pair.after)) registrations.push(pair)
  }
  return { registrations, registrationsCut }
}

/** The registration at a time: the current one, minus the later changes that were read from the audit. */
async function registrationAt(
  db: Db,
  row: PluginRow,
  until: string | null,
): Promise<{ registration: RegistrationThen; isComplete: boolean }> {
  const then: Record<string, unknown> = {
    endpoint: row.endpoint,
    version: row.version,
    timeoutMs: row.timeout_ms,
    maxAttempts: row.max_attempts,
    maxBackoffMs: row.max_backoff_ms,
  }
  const { changes, isComplete } =
    until === null
      ? { changes: [], isComplete: true }
      : await listRegistrationChanges(db, row.plugin_id, until)
  for (const { property, before } of changes)
    if (property in then) then[property] = before !== null && 'value' in before ? before.value : null
  const number = (name: string): number | null => (typeof then[name] === 'number' ? then[name] : null)
  const { timeoutMs, maxAttempts, maxBackoffMs } = callLimits({
    timeout_ms: number('timeoutMs'),
    max_attempts: number('maxAttempts'),
    max_backoff_ms: number('maxBackoffMs'),
  })
  const registration = {
    endpoint: typeof then['endpoint'] === 'string' ? then['endpoint'] : row.endpoint,
    version: typeof then['version'] === 'string' ? then['version'] : null,
    timeoutMs,
    maxAttempts,
    maxBackoffMs,
  }
  return { registration, isComplete }
}

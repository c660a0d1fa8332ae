import { deepEqual, getOwn } from '#contract/json-schema/json.ts'
import { mayEverywhere, mayIn } from '#contract/endpoint/permission.ts'
import { isReference, referencedServices } from '#contract/protocol/data.ts'
import { Scope } from '#contract/protocol/scope.ts'
import type { AuditChange } from '#contract/runtime-api/audit.ts'
import { CAUSE_KINDS } from '#contract/runtime-api/operation-context.ts'
import type { ContextCause, ValueRead } from '#contract/runtime-api/operation-context.ts'
import { reasonOf } from '#contract/protocol/messages.ts'
import { isResultUnknown } from '../../engine/calls/answer.ts'
import { propertyView } from '../../engine/changes/change-view.ts'
import { withMarks } from '../../engine/calls/sensitive-values.ts'
import { valuesFromOthers } from '../../engine/steps/plugin-writes.ts'
import { currentCallOf } from '../../engine/views.ts'
import { RUNTIME_ACTOR_ID } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { OperationRow } from '../../model/operation.ts'
import type { FrozenPlan, Marks } from '../../model/plan.ts'
import { listCauseRows } from '../../store/audit.ts'
import type { AuditRow } from '../../store/audit.ts'
import { readAuditMarks, readMarksSince } from '../../store/configuration/sensitivity.ts'
import { findLastSuccesses, readAttempts } from '../../store/operations/attempts.ts'
import type { AttemptRow } from '../../store/operations/attempts.ts'
import { callOf, readCallsWithoutRequests } from '../../store/operations/calls.ts'
import type { CallRow } from '../../store/operations/calls.ts'
import { findRecall } from '../../store/catalog/versions.ts'
import { findLastGood } from '../../store/operations/operations.ts'
import { bytesOfValues, readPlan } from '../../store/operations/plans.ts'
import { listProcessEvents } from '../../store/process-events.ts'
import { listNamed } from '../../store/services/dependencies.ts'
import { maskedChange, shownChanges } from '../audit/list.ts'
import { subjectOfBundle } from '../catalog/catalog.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { brokenReferences } from '../registry/services.ts'
import { SHOWN_ENDS } from './read.ts'
import { findVisibleOperation } from './runs.ts'
import { resourceAt } from '../../engine/plans/configure-plan.ts'

type Name = 'GET /operations/{operationId}/context'

const CAUSES_MAX = 100
const CHANGES_MAX = 10
const PROCESS_CAUSES_MAX = 10
const REFERRERS_MAX = 5
/** How far back causes are read if the installation has no good operation before. */
const BEFORE_FIRST_MS = 7 * 86_400_000
/** How long before the operation the platform's own events may explain a failure: what it restarted from long ago is over. */
const PROCESS_BEFORE_MS = 86_400_000

/**
 * What an operation depended on. Refuses with NOT_FOUND. Marks are read after the values that they mask, so one that is set in
 * between counts; nothing else needs one snapshot, and people wait for this beside the operation itself.
 */
export async function readOperationContext(
  { deps: { db, vault }, actor, hasRead }: ReadContext,
  { params: { operationId } }: Input<Name>,
): Promise<Answer<Name>> {
  const operation = await findVisibleOperation(db, actor, operationId)
  const [frozen, calls, lastGood, referrers] = await Promise.all([
    readPlan(db, vault, operationId),
    readCallsWithoutRequests(db, vault, operationId),
    findLastGood(db, operation),
    brokenReferences(db, actor, {
      bundleInstallIds: [operation.bundle_install_id],
      limit: REFERRERS_MAX,
    }),
  ])
  hasRead?.(bytesOfValues(frozen))
  const since =
    lastGood?.finished_at ?? new Date(Date.parse(operation.created_at) - BEFORE_FIRST_MS).toISOString()
  const serviceIds = servicesOf(frozen)
  const services = serviceIds.length === 0 ? [] : await listNamed(db, serviceIds)
  const owners = services.flatMap((row) => row.owner_bundle_install_id ?? [])
  const [rows, ofProcess, ofVersion] = await Promise.all([
    listCauseRows(db, {
      pluginIds: frozen.plugins.map(({ pluginId }) => pluginId),
      serviceIds,
      environmentKey: operation.environment_key,
      bundleInstallIds: [...new Set([operation.bundle_install_id, ...owners])],
      except: operationId,
      since,
      limit: CAUSES_MAX + 1,
    }),
    processCauses(db, operation, lastGood?.finished_at ?? operation.created_at),
    recallCauses(db, operation, since),
  ])
  const shown = rows.slice(0, CAUSES_MAX)
  const pluginIds = frozen.plugins
    .map(({ pluginId }) => pluginId)
    .filter((id) => shown.some(({ action, subject }) => action === 'plugin.save' && nameIn(subject) === id))
  const [auditMarks, successes] = await Promise.all([
    readAuditMarks(
      db,
      // only values of a scope are masked
      shown
        .filter((row) => row.changes.length > 0 && row.workspace_id !== null)
        .map(({ sequence }) => sequence),
    ),
    pluginIds.length === 0
      ? new Map<string, string>()
      : findLastSuccesses(db, { pluginIds, before: operation.created_at }),
  ])
  return {
    lastGood: lastGood && {
      operationId: lastGood.operation_id,
      operationType: lastGood.operation_type,
      finishedAt: lastGood.finished_at,
    },
    since,
    causes: [
      ...shown.flatMap((row) =>
        causeView(row, shownChanges(row, auditMarks), { operation, actor, successes }),
      ),
      ...ofProcess,
      ...ofVersion,
    ]
      .sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0))
      .slice(0, CAUSES_MAX),
    hasMore: (rows[0]?.found ?? 0) > shown.length,
    valuesRead: await valuesRead(operation, frozen, calls, () =>
      Promise.all([readAttempts(db, operationId, SHOWN_ENDS), readMarksSince(db, operationId)]),
    ),
    referrers,
  }
}

/**
 * Starts of the runtime, and restores, failovers and troubles of its database, since then, but at the earliest a day before the
 * operation. What came after its end changed nothing.
 */
async function processCauses(db: Db, operation: OperationRow, since: string): Promise<ContextCause[]> {
  const dayBefore = new Date(Date.parse(operation.created_at) - PROCESS_BEFORE_MS).toISOString()
  const events = await listProcessEvents(db, {
    since: since > dayBefore ? since : dayBefore,
    until: operation.finished_at,
    limit: PROCESS_CAUSES_MAX,
  })
  return events.map(({ at, kind, until }) => ({
    kind,
    at,
    ...(until !== null && { until }),
    by: { id: RUNTIME_ACTOR_ID, name: RUNTIME_ACTOR_ID },
    reason: null,
    subject: RUNTIME_ACTOR_ID,
    link: null,
    during:
      (until ?? at) >= operation.created_at &&
      (operation.finished_at === null || at <= operation.finished_at),
    changes: [],
  }))
}

/** That the version which an operation installs was recalled since then, and still is: everybody may know that. */
async function recallCauses(db: Db, operation: OperationRow, since: string): Promise<ContextCause[]> {
  const { operation_type, target_version: version } = operation
  if (operation_type !== 'INSTALL' && operation_type !== 'UPGRADE') return []
  const bundle = { environmentKey: operation.bundle_environment_key, bundleId: operation.bundle_id }
  const recall = await findRecall(db, bundle, version)
  if (recall === undefined || recall.standing_at === null || recall.standing_at < since) return []
  return [
    {
      kind: 'bundle.recall',
      at: recall.standing_at,
      by: { id: recall.standing_by_id ?? '', name: recall.standing_by_name ?? '' },
      reason: recall.standing_message,
      subject: subjectOfBundle({ ...bundle, version }),
      link: null,
      during: isDuring(recall.standing_at, operation),
      changes: [],
    },
  ]
}

const isDuring = (at: string, { created_at, finished_at }: OperationRow): boolean =>
  at >= created_at && (finished_at === null || at <= finished_at)

/** The services that the planned properties refer to. */
const servicesOf = ({ resources }: FrozenPlan): string[] => [
  ...new Set(
    resources.flatMap(({ properties }) =>
      Object.values(properties).flatMap((value) => (isReference(value) ? referencedServices(value) : [])),
    ),
  ),
]

export function causeView(
  row: AuditRow,
  changes: ContextCause['changes'],
  {
    operation,
    actor,
    successes = new Map(),
  }: {
    operation: OperationRow
    actor: Actor
    /** When the last successful call of each plugin before the operation was made. */
    successes?: ReadonlyMap<string, string>
  },
): ContextCause[] {
  const kind = CAUSE_KINDS.find((one) => one === row.action)
  if (kind === undefined) return []
  const { environment_key: environmentKey, application_runtime_id, workspace_id } = row
  const isOfScope = environmentKey !== null && application_runtime_id !== null && workspace_id !== null
  const mayRead =
    !isOfScope ||
    mayIn(actor.grants, 'read', {
      environmentKey,
      applicationRuntimeId: application_runtime_id,
      workspaceId: workspace_id,
    })
  // what is said about a plugin changes no call
  const relevant = changes.filter(({ property }) => kind !== 'plugin.save' || !isDescription(property))
  if (changes.length > 0 && relevant.length === 0) return []
  const subject = isOfScope ? row.subject : nameIn(row.subject)
  const success = kind === 'plugin.save' ? successes.get(subject) : undefined
  return [
    {
      kind,
      at: row.at,
      by: mayRead ? { id: row.actor_id, name: row.actor_name } : null,
      reason: mayRead ? row.reason : null,
      subject: mayRead ? subject : '',
      link: mayRead ? linkOf(row, subject) : null,
      during: isDuring(row.at, operation),
      ...(success !== undefined && success > row.at && { succeededSince: true as const }),
      changes: mayRead ? relevant.flatMap((change) => readable(change, actor)).slice(0, CHANGES_MAX) : [],
    },
  ]
}

/** The subject of an entry about a registration begins with its ID. */
const nameIn = (subject: string): string => subject.split(' ', 1)[0] ?? ''

const isDescription = (property: string): boolean =>
  property.startsWith('runbook ') || property === 'logsLink' || property === 'tracesLink'

/**
 * A change of a registration without scopes that the actor may not read, as the registration itself is shown. Of the owner
 * of a service it says only whether there is one.
 */
function readable(change: AuditChange, actor: Actor): AuditChange[] {
  if (change.locator !== null || mayEverywhere(actor.grants, 'read')) return [change]
  if (change.property === 'owner') return [maskedChange(change)]
  if (change.property !== 'consumers') return [change]
  const shown = (view: AuditChange['before']): AuditChange['before'] =>
    view?.['@type'] === 'Data' && 'value' in view && Array.isArray(view.value)
      ? {
          ...view,
          value: view.value.filter((entry) => {
            const scope = Scope.safeParse(entry)
            return scope.success && mayIn(actor.grants, 'read', scope.data)
          }),
        }
      : view
  const [before, after] = [shown(change.before), shown(change.after)]
  return deepEqual(before, after) ? [] : [{ ...change, before, after }]
}

function linkOf(row: AuditRow, subject: string): ContextCause['link'] {
  if (row.operation_id !== null) return { to: 'operation', id: row.operation_id }
  if (row.bundle_install_id !== null) return { to: 'installation', id: row.bundle_install_id }
  if (row.action === 'plugin.policy') return null
  return { to: row.action === 'service.save' ? 'service' : 'plugin', id: subject }
}

/**
 * What the call that the operation is at, or failed at, reads from other plugins. Most read nothing, and need neither attempts nor
 * marks.
 */
async function valuesRead(
  operation: OperationRow,
  frozen: FrozenPlan,
  calls: readonly CallRow[],
  read: () => Promise<[readonly AttemptRow[], Marks]>,
): Promise<ValueRead[]> {
  const reader = currentCallOf(operation, calls)
  if (reader === undefined) return []
  const values = valuesFromOthers(frozen, calls.map(callOf), operation.operation_type, callOf(reader))
  if (values.length === 0) return []
  const [attempts, marks] = await read()
  const plan = withMarks(frozen, marks)
  const attemptsOf = Map.groupBy(attempts, (row) => `${row.stage} ${row.plugin_id}`)
  const isTold = new Set<string>()
  return values.map(({ locator, property, kind, writer, value }) => {
    const resource = resourceAt(plan.resources, locator)
    const call = `${writer.stage} ${writer.pluginId}`
    const ofWriter = attemptsOf.get(call) ?? []
    // with each of thousands of values they would be tens of megabytes
    const told = isTold.has(`${call} ${kind}`) ? [] : ofWriter
    isTold.add(`${call} ${kind}`)
    return {
      locator,
      property,
      value: value === null ? null : propertyView(getOwn(resource?.definitions ?? {}, property), value),
      writer,
      kind,
      at: ofWriter.findLast(({ late }) => !late)?.finished_at ?? null,
      attempts: told.map(({ attempt, outcome, failure, finished_at }) => ({
        attempt,
        outcome,
        errorCode: failure?.errorCode ?? null,
        ...(isResultUnknown({
          finished: finished_at !== null,
          outcome,
          failed: failure !== null,
          reason: failure && reasonOf(failure),
        }) && { isUnknown: true as const }),
      })),
    }
  })
}

import { getOwn } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import type { ChangePlan, ShownInput } from '#contract/runtime-api/change-requests.ts'
import type { Changes, PropertyView } from '#contract/runtime-api/common.ts'
import { isHidden } from '../../engine/changes/compare.ts'
import { propertyView } from '../../engine/changes/change-view.ts'
import { mergeChanges } from '../../engine/change-requests/merge-changes.ts'
import type { ChangeConflict } from '../../engine/change-requests/merge-changes.ts'
import { DomainError } from '../../engine/refusals.ts'
import type { PlatformProblem, Problem } from '../../engine/refusals.ts'
import type { Actor } from '../../model/actor.ts'
import type { ShownEffect } from '../../model/change-request-tables.ts'
import type { Db } from '../../model/db.ts'
import { openProperties, readManagedProperties } from '../../store/configuration/properties.ts'
import { findScope, scopeOf } from '../../store/configuration/scopes.ts'
import type { ScopeRow } from '../../store/configuration/scopes.ts'
import { findInstallation } from '../../store/installations/installations.ts'
import { readOwnedResources } from '../../store/installations/ledger.ts'
import { findOperation } from '../../store/operations/operations.ts'
import { notFound } from '../authorize.ts'
import { refuseMovedTargets } from '../batches/batch-token.ts'
import { planOfBatch } from '../batches/plan-batch.ts'
import { definitionIn, hiddenIn, hide, showBatch } from '../batches/show-batch.ts'
import { inputFor, inputOf, planTargets } from '../batches/targets.ts'
import type { ReadContext } from '../context.ts'
import { loadEvaluation } from '../configuration/load-evaluation.ts'
import { basisOfSave, planOfSave } from '../configuration/plan-save.ts'
import { evaluateDetach } from '../installations/detach.ts'
import { evaluateInstall } from '../installations/install.ts'
import { evaluateUpgrade } from '../installations/upgrade.ts'
import { evaluateTakeover } from '../operations/take-over.ts'
import { canonicalText, refuseIfMoved } from '../plans/plan-token.ts'
import type { TokenKeys } from '../plans/plan-token.ts'
import { basisOf, countValues, operationPlan, partOf, problemsOf } from '../plans/plan-view.ts'
import type { OperationEvaluation } from '../plans/plan-view.ts'
import type { ChangeContent, ChangeInput } from './content.ts'
import {
  effectOf,
  givenTo,
  limitsOf,
  shownChanges,
  shownEffect,
  shownWithoutPlan,
  unplannedBefore,
} from './effect.ts'
import {
  changesInBatch,
  exposedSecrets,
  flagSecrets,
  isRightSecret,
  mapBatch,
  orUnknown,
  sensitiveFirst,
  wrongInBatch,
  wrongSecrets,
} from './secrets.ts'
import { resourceAt } from '../../engine/plans/configure-plan.ts'
import { wayOfItem } from '../gate/admit.ts'

/** What a request would do now. */
export interface Evaluated {
  plan: ChangePlan
  shown: ShownEffect
  shownInput: ShownInput
  scopes: Scope[]
  /** The scope, unless it is a batch. */
  scope: Scope | null
  bundleInstallId: string | null
  /** The request after the merge with what was saved since. */
  content: ChangeContent
  snapshotVersion: number | null
  conflicts: ChangeConflict[]
  shownConflicts: PropertyChangeConflict[]
  /** Secrets of properties that do not hide them any more: nothing is planned or applied with them. */
  exposed: PlatformProblem[]
  /** What is wrong with the secrets that it gives. */
  wrong: Problem[]
  /** As of now; what was seen is in the content. */
  given: Record<string, string>
  /** Why it cannot be planned. */
  unplanned?: DomainError
  /** Refuses with PLAN_STALE if it would do something else than the plan that a token identifies. */
  refuseIfMoved(token: string): Promise<void>
}
type PropertyChangeConflict = {
  locator: string
  property: string
  base: PropertyView | null
  theirs: PropertyView | null
  mine: PropertyView | null
}

/**
 * What a request would do now, merged with what has been saved since: by the evaluation of the ordinary request, as its author.
 * Compares nothing with hidden values: a value that is given for one counts as a change. Writes nothing, and refuses nothing
 * that a plan can say.
 */
export async function evaluateChange(
  reading: Reading,
  content: ChangeContent,
  known: { scope: Scope | null; scopes: Scope[]; bundleInstallId: string | null } = NOTHING,
): Promise<Evaluated> {
  try {
    return await evaluateKind(reading, content)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const scope = known.scope === null ? undefined : await findScope(reading.db, known.scope)
    // its target vanished, or its version cannot be installed any more
    return {
      ...known,
      plan: { effect: null, planToken: null, problems: problemsOf(error) },
      shown: { changes: [], calls: [], resources: [] },
      shownInput: shownWithoutPlan(content.change),
      content,
      snapshotVersion: scope?.snapshot_version ?? null,
      conflicts: [],
      shownConflicts: [],
      exposed: [],
      wrong: [],
      given: {},
      unplanned: error,
      refuseIfMoved: () => Promise.resolve(),
    }
  }
}

const NOTHING = { scope: null, scopes: [], bundleInstallId: null }

interface Reading {
  db: Db
  keys: TokenKeys
  /** As whom it is planned. */
  author: Actor
  /** Who reads the plan, and may see less than the author. */
  reader: Actor
  /** Counts the values of the installations that it would change. */
  hasRead?: ReadContext['hasRead'] | undefined
}

async function evaluateKind(reading: Reading, content: ChangeContent): Promise<Evaluated> {
  const { db, keys, author, reader, hasRead } = reading
  const { change } = content
  const context = { db, vault: keys.vault, actor: author, way: APPROVED }
  switch (change.kind) {
    case 'CONFIGURE':
      return evaluateSaveRequest(reading, content, change)
    case 'INSTALL': {
      const scope = await findScope(db, change.input.scope)
      // the id is that of no installation: no digest contains it
      const evaluation = await evaluateInstall(context, change.input, scope, NO_INSTALLATION)
      return operationResult(reading, content, evaluation, change.input.properties)
    }
    case 'UPGRADE': {
      const found = await findTarget(db, change.input.bundleInstallId)
      const { targetVersion, properties } = change.input
      const evaluation = await evaluateUpgrade({ ...context, comparing: 'never' }, found, {
        targetVersion,
        ...(properties !== undefined && { properties, snapshotVersion: found.scope.snapshot_version }),
      })
      return operationResult(reading, content, evaluation, properties)
    }
    case 'DETACH': {
      const found = await findTarget(db, change.input.bundleInstallId)
      return operationResult(reading, content, await evaluateDetach(context, found))
    }
    case 'TAKEOVER': {
      const operation = await findOperation(db, change.input.operationId)
      if (operation === undefined) throw notFound('operation')
      const evaluation = await evaluateTakeover(context, operation, change.input.run)
      return operationResult(reading, content, evaluation)
    }
    case 'BATCH': {
      const found = await planTargets(
        { ...context, hasRead, way: wayOfItem(false, null, APPROVED) },
        change.input,
      )
      const plan = await planOfBatch(db, { ...keys, actor: reader }, change.input, found)
      const planned = found.targets
      const parts = planned.map(({ target, part, run }) => ({
        target: target + (run === null ? '' : `/${run}`),
        part,
        ledger: [],
      }))
      const effect = shownEffect(parts)
      const limits = limitsOf(change.input)
      const { input: batch } = showBatch(change.input, planned)
      const isHidden = hiddenIn(batch)
      const definitionOf = (locator: string, property: string) =>
        sensitiveFirst(planned.flatMap((one) => definitionIn(one, locator, property) ?? []))
      const definitionOrUnknown = orUnknown(definitionOf)
      const wrong = wrongInBatch(change.input, planned, definitionOrUnknown)
      const isRight = isRightSecret(definitionOrUnknown, wrong)
      const input = mapBatch(change.input, (given) => flagSecrets(given, isRight))
      const inputs = inputOf(change.input)
      const given = givenTo(
        content.key,
        planned
          .filter(({ part, refusals }) => part !== null || refusals.length === 0)
          .map(({ target, part }) => ({ target, part, input: inputFor(inputs, target) })),
      )
      return withoutExposed({
        plan: {
          effect: effectOf(content.key, parts, limits),
          planToken: plan.planToken,
          batch: plan,
          problems: [],
        },
        shown: {
          ...effect,
          limits,
          changes: effect.changes.map((one) =>
            isHidden(one) ? { ...one, before: hide(one.before), after: hide(one.after) } : one,
          ),
        },
        shownInput: { ...shownWithoutPlan(change), batch },
        scope: null,
        scopes: planned.map(({ scope }) => scope),
        bundleInstallId: null,
        content: {
          ...content,
          change: { ...change, input },
          seen: { ...unplannedBefore(given), ...content.seen },
        },
        snapshotVersion: null,
        conflicts: [],
        shownConflicts: [],
        exposed: changesInBatch(input).flatMap((changes) => exposedSecrets(changes, definitionOf)),
        wrong,
        given,
        refuseIfMoved: (token) => refuseMovedTargets({ db, vault: keys.vault }, token, change.input, planned),
      })
    }
  }
}

/** Shows nothing of what a request would do as long as it has secrets that would be seen. */
function withoutExposed(evaluated: Evaluated): Evaluated {
  const { exposed, content } = evaluated
  if (exposed.length === 0) return evaluated
  return {
    ...evaluated,
    plan: { effect: null, planToken: null, problems: exposed },
    shown: { changes: [], calls: [], resources: [] },
    shownInput: shownWithoutPlan(content.change),
    refuseIfMoved: () => Promise.resolve(),
  }
}

/** What it would need approvals for is counted where it is applied. */
const APPROVED = { isApproved: true, isStored: true } as const

const NO_INSTALLATION = '00000000-0000-7000-8000-000000000000'

async function findTarget(db: Db, bundleInstallId: string) {
  const installation = await findInstallation(db, bundleInstallId)
  const scope = installation && (await findScope(db, scopeOf(installation)))
  if (installation === undefined || scope === undefined) throw notFound('installation')
  return { installation, scope }
}

async function evaluateSaveRequest(
  { db, keys, author, hasRead }: Reading,
  content: ChangeContent,
  change: Extract<ChangeInput, { kind: 'CONFIGURE' }>,
): Promise<Evaluated> {
  const scope = await findScope(db, change.scope)
  if (scope === undefined) throw notFound('scope')
  const { definitionOf, current } = await readNamed({ db, keys }, scope, change.input.changes)
  const hides = (locator: string, property: string) =>
    [current, content.base, change.input.changes].some((side) =>
      isHidden(getOwn(getOwn(side, locator) ?? {}, property) ?? null),
    ) || definitionOf(locator, property)?.isSensitive === true
  const merged = mergeChanges(change.input.changes, content.base, current, hides)
  // the definitions of a resource without an owner may come back as they were
  const definitionOrUnknown = orUnknown(definitionOf)
  const wrong = wrongSecrets([merged.changes], definitionOrUnknown)
  const changes = flagSecrets(merged.changes, isRightSecret(definitionOrUnknown, wrong))
  // what this request gives is not flagged yet, so it is checked
  const input = { ...change.input, snapshotVersion: scope.snapshot_version, changes: merged.changes }
  const evaluation = await loadEvaluation(
    { db, vault: keys.vault, actor: author, comparing: 'never', way: APPROVED },
    scope,
    input,
  )
  countValues(
    { hasRead },
    evaluation.owners.map((owner) => owner.plan),
  )
  const plan = await planOfSave(db, keys, scope, evaluation)
  const parts = evaluation.owners.map(({ installation, plan: frozen, unchecked, ledger }) => ({
    target: installation.bundle_install_id,
    ledger,
    part: {
      id: installation.bundle_install_id,
      bundleId: installation.bundle_id,
      version: installation.version,
      operationType: 'CONFIGURE' as const,
      targetVersion: installation.version,
      plan: frozen,
      unchecked,
    },
  }))
  const view = (locator: string, property: string) => (value: Changes[string][string]) =>
    propertyView(definitionOf(locator, property), value)
  return withoutExposed({
    plan: {
      // what changes nothing has an effect too: none
      effect: effectOf(content.key, parts),
      planToken: plan.planToken,
      configuration: plan,
      problems: plan.problems,
    },
    shown: shownEffect(parts),
    shownInput: {
      snapshotVersion: scope.snapshot_version,
      changes: shownChanges(changes, (locator, property, value) => view(locator, property)(value)),
    },
    scope: scopeOf(scope),
    scopes: [scopeOf(scope)],
    bundleInstallId:
      evaluation.owners.length === 1 ? (evaluation.owners[0]?.installation.bundle_install_id ?? null) : null,
    content: {
      ...content,
      change: { ...change, input: { ...change.input, changes } },
      base: merged.base,
    },
    snapshotVersion: scope.snapshot_version,
    conflicts: merged.conflicts,
    shownConflicts: merged.conflicts.map(({ locator, property, ...sides }) => {
      const show = view(locator, property)
      return { locator, property, base: show(sides.base), theirs: show(sides.theirs), mine: show(sides.mine) }
    }),
    exposed: exposedSecrets(changes, definitionOf),
    wrong,
    // it is merged with what others save
    given: {},
    refuseIfMoved: async (token) =>
      refuseIfMoved({ db, vault: keys.vault }, token, await basisOfSave(db, scope, evaluation)),
  })
}

/** What is saved where changes would change it, with the definitions. */
export async function readNamed(
  { db, keys }: Pick<Reading, 'db' | 'keys'>,
  scope: ScopeRow,
  changes: Changes,
) {
  const named = Object.keys(changes)
  const resources = await readOwnedResources(db, scope.scope_id, named)
  const { values } = await readManagedProperties(db, scope.scope_id, named)
  const saved = await openProperties(db, keys.vault, scope.scope_id, values)
  const current: Changes = Object.fromEntries(
    Object.entries(changes).map(([locator, properties]) => [
      locator,
      Object.fromEntries(
        Object.keys(properties).map((property) => [property, saved.get(locator)?.get(property) ?? null]),
      ),
    ]),
  )
  const definitionOf = (locator: string, property: string) =>
    getOwn(resourceAt(resources, locator)?.definitions ?? {}, property)
  return { current, definitionOf }
}

async function operationResult(
  { db, keys, hasRead }: Reading,
  content: ChangeContent,
  evaluation: OperationEvaluation,
  properties?: Changes,
): Promise<Evaluated> {
  countValues({ hasRead }, [evaluation.plan])
  const plan = await operationPlan(db, keys, evaluation)
  const part = { ...partOf(evaluation), id: targetOf(evaluation, content.change) }
  const parts = [{ target: part.id, part, ledger: evaluation.ledger }]
  const definitionOf = (locator: string, property: string) =>
    getOwn(resourceAt(evaluation.plan?.resources ?? [], locator)?.definitions ?? {}, property)
  const definitionOrUnknown = orUnknown(definitionOf)
  const wrong = wrongSecrets(properties === undefined ? [] : [properties], definitionOrUnknown)
  const flagged = properties && flagSecrets(properties, isRightSecret(definitionOrUnknown, wrong))
  const given = givenTo(content.key, [{ target: part.id, part, input: { properties } }])
  const seen = { ...unplannedBefore(given), ...content.seen }
  return withoutExposed({
    plan: {
      effect: evaluation.plan === null ? null : effectOf(content.key, parts),
      planToken: plan.planToken,
      operation: plan,
      problems: plan.problems,
    },
    shown: shownEffect(parts),
    shownInput: {
      ...shownWithoutPlan(content.change),
      ...(flagged !== undefined && {
        properties: shownChanges(flagged, (locator, property, value) =>
          propertyView(definitionOf(locator, property), value),
        ),
      }),
    },
    scope: evaluation.scope,
    scopes: [evaluation.scope],
    bundleInstallId: evaluation.installation?.bundle_install_id ?? null,
    content:
      flagged === undefined || !('properties' in content.change.input)
        ? { ...content, seen }
        : {
            ...content,
            seen,
            change: {
              ...content.change,
              input: { ...content.change.input, properties: flagged },
            } as ChangeInput,
          },
    snapshotVersion: evaluation.snapshotVersion,
    conflicts: [],
    shownConflicts: [],
    exposed: flagged === undefined ? [] : exposedSecrets(flagged, definitionOf),
    wrong,
    given,
    refuseIfMoved: async (token) =>
      refuseIfMoved({ db, vault: keys.vault }, token, await basisOf(db, evaluation)),
  })
}

/** What an operation is for. An approval of an INSTALL is for one scope and bundle. */
const targetOf = ({ installation, scope }: OperationEvaluation, change: ChangeInput): string =>
  installation?.bundle_install_id ??
  canonicalText([scopeText(scope), change.kind === 'INSTALL' ? change.input.bundle : null])

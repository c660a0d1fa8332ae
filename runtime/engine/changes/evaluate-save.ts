import type { CheckBudget } from '#contract/json-schema/check-work.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { getOwn } from '#contract/json-schema/json.ts'
import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import type { Apply } from '#contract/runtime-api/managers.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { Claim } from '#contract/runtime-api/claim.ts'
import type { InstallationRow } from '../../model/installation.ts'
import type { LedgerRow, OwnedResource } from '../../model/ledger.ts'
import type { FrozenPlan, PlannedChange } from '../../model/plan.ts'
import type { UncheckedPlugins } from '../../model/plugin.ts'
import { claimProblem } from '../refusals.ts'
import type { Problem } from '../refusals.ts'
import { claimOf } from '../views.ts'
import { configurePlan } from '../plans/configure-plan.ts'
import { uncheckedProblems } from '../plans/planned-calls.ts'
import { retiredProblems } from '../steps/retired.ts'
import { checkChanges, protectedProblems } from './check-changes.ts'
import type { KnownTargets } from './check-changes.ts'
import { asDefined, compareChanges, comparisonsIn, isHidden } from './compare.ts'
import type { PropertyMap, Comparison } from './compare.ts'
import { fullChanges } from './full-changes.ts'
import { managerProblems, removableBy } from './managers.ts'
import type { Managers } from './managers.ts'
import type { FullResources, ResourceFacts } from './full-changes.ts'

/** A save as it is requested: changes on top of a snapshot, or the full configuration. */
export type SaveInput = { snapshotVersion: number; apply?: Apply | undefined } & (
  | { changes: Changes }
  | { resources: FullResources }
)

/** An installation that takes part in a save, and the plan of its CONFIGURE. */
export interface Owner {
  installation: InstallationRow
  claim: Claim | null
  ledger: LedgerRow[]
  changes: PlannedChange[]
  /** Null if its plugin bindings are broken, which is one of the problems. */
  plan: FrozenPlan | null
  /** Plugins without the passing report that the environment requires. */
  unchecked: UncheckedPlugins
}

/** Everything that a save would do and every reason to refuse it, by kind in the order of the checks. */
export interface SaveEvaluation {
  stale: boolean
  changes: PlannedChange[]
  facts: ReadonlyMap<string, ResourceFacts>
  /** Of the resources that the save names. */
  managers: Managers
  owners: Owner[]
  problems: Record<
    'shape' | 'protected' | 'ownership' | 'managers' | 'validity' | 'claim' | 'retired' | 'checks' | 'gate',
    Problem[]
  >
}

/** The actual changes of a save, and the resources that it names. */
export interface RequestedChanges {
  facts: ReadonlyMap<string, ResourceFacts>
  /** The values as given: these are checked. */
  given: PlannedChange[]
  /** The values as they are stored. */
  changes: PlannedChange[]
  shapeProblems: Problem[]
  /** What it gives for hidden values; empty if it compares none of them. */
  comparisons: Comparison[]
}

/**
 * Compares a save with the current configuration. `resources`, `current` and `managers` are those that the save names.
 *
 * @param isBlind whether a value given for a hidden one counts as a change without being compared.
 */
export function requestedChanges(
  input: SaveInput,
  resources: readonly OwnedResource[],
  current: PropertyMap,
  managers: Managers,
  isBlind: boolean,
): RequestedChanges {
  const facts = new Map(resources.map((row) => [row.locator, factsOf(row)]))
  const full =
    'changes' in input
      ? null
      : fullChanges(current, input.resources, facts, removableBy(input.apply, managers))
  const named = 'changes' in input ? input.changes : (full?.changes ?? {})
  const definitionOf = (locator: string, property: string) =>
    getOwn(facts.get(locator)?.definitions ?? {}, property)
  const given = compareChanges(
    current,
    named,
    (locator, property, before) => isBlind && isHidden(before, definitionOf(locator, property)),
  )
  return {
    facts,
    given,
    changes: given.map((change) => normalizeChange(change, facts)),
    shapeProblems: full?.problems ?? [],
    comparisons: isBlind
      ? []
      : comparisonsIn(current, named, (locator, property) => [definitionOf(locator, property)]),
  }
}

/** The installations that own changed resources, with what the evaluation needs of each. */
export interface LoadedOwners {
  installations: readonly InstallationRow[]
  ledger: readonly LedgerRow[]
  current: PropertyMap
  /** By installation: its plugin bindings, or why they are unusable. */
  bindings: ReadonlyMap<string, CompiledAuthorization[] | Problem>
  unchecked: UncheckedPlugins
  /** The IDs of the plugins that are retired. */
  retired: ReadonlySet<string>
}

/** Evaluates a save against the current configuration. `owned` are the resources that it changes. */
export function evaluateSave(
  input: SaveInput,
  { facts, given, changes, shapeProblems }: RequestedChanges,
  known: Omit<KnownTargets, 'facts'> & {
    snapshotVersion: number
    /** Of all values that the request gives. */
    budget: CheckBudget
    managers: Managers
    /** Why no save is admitted now. */
    gate: readonly Problem[]
    /** What is wrong with the domains that it sets, and with the size of the scope. */
    scopeProblems: readonly Problem[]
    owned: readonly OwnedResource[]
    owners: LoadedOwners
  },
): SaveEvaluation {
  const { owners, problems: broken } = evaluateOwners(known.owned, changes, known.owners)
  // all are in one scope, so in one environment
  const environment = owners[0]?.installation.environment_key ?? ''
  const called = owners.flatMap(({ plan }) => plan?.plugins ?? [])
  return {
    stale: input.snapshotVersion !== known.snapshotVersion,
    changes,
    facts,
    managers: known.managers,
    owners,
    problems: {
      shape: shapeProblems,
      protected: protectedProblems(
        'changes' in input
          ? input.changes
          : Object.fromEntries(
              Object.entries(input.resources).map(([key, value]) => [key, value.properties]),
            ),
      ),
      ownership: [...unownedProblems(changes, facts), ...broken],
      managers: managerProblems(changes, known.managers, input.apply),
      validity: [...checkChanges(given, { ...known, facts }, known.budget), ...known.scopeProblems],
      claim: owners.flatMap(({ installation, claim }) =>
        claim === null ? [] : [claimProblem(installation.bundle_id, claim)],
      ),
      retired: retiredProblems(called, known.owners.retired),
      checks: uncheckedProblems(called, known.owners.unchecked, environment),
      gate: [...known.gate],
    },
  }
}

const factsOf = (row: OwnedResource): ResourceFacts => ({
  definitions: row.definitions,
  writtenBy: row.written_by,
})

function normalizeChange(change: PlannedChange, facts: ReadonlyMap<string, ResourceFacts>): PlannedChange {
  if (change.after === null) return change
  const definition = getOwn(facts.get(change.locator)?.definitions ?? {}, change.property)
  return { ...change, after: asDefined(definition, change.after) }
}

function unownedProblems(
  changes: readonly PlannedChange[],
  facts: ReadonlyMap<string, ResourceFacts>,
): Problem[] {
  const unowned = changes.map(({ locator }) => locator).filter((locator) => !facts.has(locator))
  return [...new Set(unowned)].map((locator) => ({
    locator,
    errorCode: 'RESOURCE_OWNERSHIP_MISSING',
    ...platformMessage('resourceNotOwned'),
  }))
}

function evaluateOwners(
  owned: readonly OwnedResource[],
  changes: readonly PlannedChange[],
  { installations, ledger, current, bindings, unchecked }: LoadedOwners,
): { owners: Owner[]; problems: Problem[] } {
  const owners: Owner[] = []
  const problems: Problem[] = []
  const installationOf = new Map(installations.map((row) => [row.bundle_install_id, row]))
  const ownedOf = Map.groupBy(owned, (row) => row.bundle_install_id)
  const ledgerOf = Map.groupBy(ledger, (row) => row.bundle_install_id)
  const ownerOf = new Map(ledger.map((row) => [row.locator, row.bundle_install_id]))
  const changesOf = Map.groupBy(changes, ({ locator }) => ownerOf.get(locator))
  for (const [id, plugins] of bindings) {
    const installation = installationOf.get(id)
    const resource = ownedOf.get(id)?.[0]
    if (installation === undefined || resource === undefined) continue
    const ownedRows = ledgerOf.get(id) ?? []
    const ownChanges = changesOf.get(id) ?? []
    const isBroken = 'errorCode' in plugins
    if (isBroken) problems.push({ locator: resource.locator, ...plugins })
    owners.push({
      installation,
      // read by the same statement as the ownership, so both belong to one point in time
      claim: claimOf(resource),
      ledger: ownedRows,
      changes: ownChanges,
      plan: isBroken ? null : configurePlan({ ledger: ownedRows, current, changes: ownChanges, plugins }),
      unchecked,
    })
  }
  return { owners, problems }
}

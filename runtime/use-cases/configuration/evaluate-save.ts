import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { Claim } from '#contract/runtime-api/installations.ts'
import { claimProblem } from '../../engine/claim-problem.ts'
import { loadAuthorizations } from '../installations/load-authorizations.ts'
import type { FrozenPlan, PlannedChange } from '../../model/plan.ts'
import { getOwn } from '#contract/json-schema/get-own.ts'
import { DomainError } from '../../engine/domain-error.ts'
import { scopeOf } from '../../store/configuration/find-scope.ts'
import type { ScopeRow } from '../../store/configuration/find-scope.ts'
import { readOwnedResources } from '../../store/configuration/read-owned-resources.ts'
import type { OwnedResource } from '../../store/configuration/read-owned-resources.ts'
import { readProperties } from '../../store/configuration/read-properties.ts'
import { readUsableServices } from '../../store/configuration/read-usable-services.ts'
import { loadInstallations } from '../../store/installations/load-installations.ts'
import { readLedger } from '../../store/installations/read-ledger.ts'
import { checkChanges, protectedProblems, servicesOf } from '../../engine/changes/check-changes.ts'
import { asDefined, compareChanges } from '../../engine/changes/compare.ts'
import { configurePlan } from '../../engine/plans/configure-plan.ts'
import { fullChanges } from '../../engine/changes/full-changes.ts'
import type { FullResources, ResourceFacts } from '../../engine/changes/full-changes.ts'
import type { Problem } from '../../engine/problem.ts'
import type { Vault } from '../../model/vault.ts'
import type { InstallationRow } from '../../model/installation.ts'
import type { LedgerRow } from '../../model/ledger.ts'
import type { Db } from '../../model/db.ts'
import { claimOf } from '../../engine/installation-view.ts'

export type SaveInput = { snapshotVersion: number } & ({ changes: Changes } | { resources: FullResources })

/** An installation that takes part in a save, and the CONFIGURE that it would run. */
export interface Owner {
  installation: InstallationRow
  claim: Claim | null
  ledger: LedgerRow[]
  changes: PlannedChange[]
  /** Null where its plugin bindings are broken, which is among the problems. */
  plan: FrozenPlan | null
}

/** Everything that a save would do and all that refuses it, by kind in the order of the checks (decisions, 3.8). */
export interface SaveEvaluation {
  stale: boolean
  changes: PlannedChange[]
  facts: ReadonlyMap<string, ResourceFacts>
  owners: Owner[]
  problems: Record<'shape' | 'protected' | 'ownership' | 'validity' | 'claim', Problem[]>
}

/** Weighs a save against the scope as it stands; nothing is written. Only what the changes touch is read. */
export async function evaluateSave(
  db: Db,
  vault: Vault,
  scope: ScopeRow,
  given: SaveInput,
): Promise<SaveEvaluation> {
  const named = Object.keys('changes' in given ? given.changes : given.resources)
  const resources = await readOwnedResources(db, scope.scope_id, named)
  const facts = new Map(resources.map((row) => [row.locator, factsOf(row)]))
  const current = await readProperties(db, vault, scope.scope_id, named)
  const full = 'changes' in given ? null : fullChanges(current, given.resources, facts)
  const raw = compareChanges(current, 'changes' in given ? given.changes : (full?.changes ?? {}))
  const services = await readUsableServices(db, scopeOf(scope), servicesOf(raw))

  const changes = raw.map((change) => normalizeChange(change, facts))
  const owned = resources.filter((row) => changes.some(({ locator }) => locator === row.locator))
  const { owners, problems: broken } = await evaluateOwners(db, vault, scope, owned, changes)
  return {
    stale: given.snapshotVersion !== scope.snapshot_version,
    changes,
    facts,
    owners,
    problems: {
      shape: full?.problems ?? [],
      protected: protectedProblems(
        'changes' in given
          ? given.changes
          : Object.fromEntries(
              Object.entries(given.resources).map(([key, value]) => [key, value.properties]),
            ),
      ),
      ownership: [...unownedProblems(changes, facts), ...broken],
      validity: checkChanges(raw, facts, services),
      claim: owners.flatMap(({ installation, claim }) =>
        claim === null ? [] : [claimProblem(installation.bundle_id, claim)],
      ),
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
    message:
      'No active installation of this scope owns this resource. Install its bundle, or leave the resource out.',
  }))
}

async function evaluateOwners(
  db: Db,
  vault: Vault,
  scope: ScopeRow,
  owned: readonly OwnedResource[],
  changes: readonly PlannedChange[],
): Promise<{ owners: Owner[]; problems: Problem[] }> {
  const ids = [...new Set(owned.map((row) => row.bundle_install_id))].toSorted()
  if (ids.length === 0) return { owners: [], problems: [] }
  const installations = await loadInstallations(db, ids)
  const ledger = await readLedger(db, vault, ids)
  const locators = ledger.map(({ locator }) => locator)
  const current = await readProperties(db, vault, scope.scope_id, locators)

  const owners: Owner[] = []
  const problems: Problem[] = []
  for (const id of ids) {
    const installation = installations.find((row) => row.bundle_install_id === id)
    const resource = owned.find((row) => row.bundle_install_id === id)
    if (installation === undefined || resource === undefined) continue
    const ofOwner = ledger.filter((row) => row.bundle_install_id === id)
    const ownChanges = changes.filter(({ locator }) => ofOwner.some((row) => row.locator === locator))
    const plugins = await authorizationsOrProblem(db, installation, ofOwner)
    if ('errorCode' in plugins) problems.push({ locator: resource.locator, ...plugins })
    owners.push({
      installation,
      // of the statement that found the ownership, so that both are of one moment
      claim: claimOf(resource),
      ledger: ofOwner,
      changes: ownChanges,
      plan:
        'errorCode' in plugins
          ? null
          : configurePlan({ ledger: ofOwner, current, changes: ownChanges, plugins: plugins.authorizations }),
    })
  }
  return { owners, problems }
}

async function authorizationsOrProblem(
  db: Db,
  installation: InstallationRow,
  ledger: readonly LedgerRow[],
): Promise<{ authorizations: CompiledAuthorization[] } | Problem> {
  try {
    return { authorizations: await loadAuthorizations(db, installation, ledger) }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { errorCode: error.code, message: error.message }
  }
}

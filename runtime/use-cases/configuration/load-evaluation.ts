import { mayIn } from '#contract/endpoint/permission.ts'
import { newCheckBudget, type CheckBudget } from '#contract/json-schema/check-work.ts'
import type { CompiledAuthorization } from '#contract/protocol/authorization.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import { acceptedIn, servicesOf } from '../../engine/changes/check-changes.ts'
import { isAmong } from '../../engine/changes/compare.ts'
import { evaluateSave, requestedChanges } from '../../engine/changes/evaluate-save.ts'
import type { LoadedOwners, SaveEvaluation, SaveInput } from '../../engine/changes/evaluate-save.ts'
import type { ResourceFacts } from '../../engine/changes/full-changes.ts'
import { domainProblems, domainsOfChanges } from '../../engine/changes/gateway-domains.ts'
import { DomainError } from '../../engine/refusals.ts'
import type { Problem } from '../../engine/refusals.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { InstallationRow } from '../../model/installation.ts'
import type { LedgerRow, OwnedResource } from '../../model/ledger.ts'
import type { PlannedChange } from '../../model/plan.ts'
import type { Vault } from '../../model/vault.ts'
import { readDomainHolders } from '../../store/configuration/gateway-domains.ts'
import {
  openProperties,
  readManagedProperties,
  readProperties,
  readValueBytes,
} from '../../store/configuration/properties.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import type { ScopeRow } from '../../store/configuration/scopes.ts'
import { loadInstallations } from '../../store/installations/installations.ts'
import { readOwnedResources, readLedger } from '../../store/installations/ledger.ts'
import { readUsableServices } from '../../store/services/services.ts'
import type { Comparing } from '../comparisons/compared.ts'
import { admit, onceForAll } from '../gate/admit.ts'
import type { Admission, Once, Way } from '../gate/admit.ts'
import { loadAuthorizations, loadObjections } from '../installations/load-authorizations.ts'
import { resourceAt } from '../../engine/plans/configure-plan.ts'

/** How many MiB the values of a scope may have: the console accepts a response with twice as much. */
const SCOPE_MIB_MAX = 16

/** What a save would do, every reason to refuse it, and what the gate says, whose problems are among them. */
export type Evaluation = SaveEvaluation & { admission: Admission }

/**
 * Evaluates a save against the current configuration of the scope, and writes nothing. Reads only what the save
 * affects.
 */
export async function loadEvaluation(
  {
    db,
    vault,
    actor,
    comparing,
    way,
    budget = newCheckBudget(),
    once = onceForAll(),
  }: {
    db: Db
    vault: Vault
    actor: Actor
    comparing: Comparing
    way: Way
    budget?: CheckBudget
    once?: Once
  },
  scope: ScopeRow,
  input: SaveInput,
): Promise<Evaluation> {
  const named = Object.keys('changes' in input ? input.changes : input.resources)
  const resources = await readOwnedResources(db, scope.scope_id, named)
  const { values, managers } = await readManagedProperties(db, scope.scope_id, named)
  const current = await openProperties(db, vault, scope.scope_id, values)
  const requested = requestedChanges(input, resources, current, managers, comparing === 'never')
  const ownerOf = (locator: string): string | null =>
    resourceAt(resources, locator)?.bundle_install_id ?? null
  if (comparing !== 'never' && requested.comparisons.length > 0)
    await comparing({
      scope,
      comparisons: requested.comparisons.map((one) => ({ ...one, bundleInstallId: ownerOf(one.locator) })),
      replaces: true,
    })
  const usableServices = await readUsableServices(db, scopeOf(scope), servicesOf(requested.given))
  const changed = new Set(requested.changes.map(({ locator }) => locator))
  const owned = resources.filter(({ locator }) => changed.has(locator))
  const admission = await admit(db, actor, { kind: 'CONFIGURE', scope: scopeOf(scope) }, way, once)
  const evaluation = evaluateSave(input, requested, {
    gate: admission.problems,
    snapshotVersion: scope.snapshot_version,
    usableServices,
    ...acceptedIn(way),
    budget,
    managers,
    scopeProblems: [
      ...(await loadDomainProblems(
        { db, actor, way },
        scopeOf(scope),
        { changes: requested.given, facts: requested.facts },
        (locator) => resourceAt(owned, locator)?.bundle_install_id,
      )),
      ...(await loadSizeProblems(db, scope.scope_id, requested.changes)),
    ],
    owned,
    owners: await loadOwners({ db, vault, once }, scope, owned),
  })
  return { ...evaluation, admission }
}

async function loadOwners(
  { db, vault, once }: { db: Db; vault: Vault; once: Once },
  scope: ScopeRow,
  owned: readonly OwnedResource[],
): Promise<LoadedOwners> {
  const ids = [...new Set(owned.map((row) => row.bundle_install_id))].toSorted()
  const bindings = new Map<string, CompiledAuthorization[] | Problem>()
  if (ids.length === 0)
    return {
      installations: [],
      ledger: [],
      current: new Map(),
      bindings,
      unchecked: new Map(),
      retired: new Set(),
    }
  const installations = await once(['installations', ids], () => loadInstallations(db, ids))
  const ledger = await readLedger(db, vault, ids)
  const locators = ledger.map(({ locator }) => locator)
  const current = await readProperties(db, vault, scope.scope_id, locators)
  const installationOf = new Map(installations.map((row) => [row.bundle_install_id, row]))
  const ledgerOf = Map.groupBy(ledger, (row) => row.bundle_install_id)
  for (const id of ids) {
    const installation = installationOf.get(id)
    if (installation === undefined) continue
    bindings.set(id, await authorizationsOrProblem(db, installation, ledgerOf.get(id) ?? [], once))
  }
  const plugins = [...bindings.values()].flatMap((found) => ('errorCode' in found ? [] : found))
  const objections = await loadObjections(db, scope.environment_key, plugins, once)
  return { installations, ledger, current, bindings, ...objections }
}

async function authorizationsOrProblem(
  db: Db,
  installation: InstallationRow,
  ledger: readonly LedgerRow[],
  once: Once,
): Promise<CompiledAuthorization[] | Problem> {
  try {
    return await loadAuthorizations(db, installation, ledger, once)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { errorCode: error.code, message: error.message }
  }
}

/** The problem of a scope that would have more values than one response can show. Changes that make them fewer are no problem. */
export async function loadSizeProblems(
  db: Db,
  scopeId: number,
  changes: readonly PlannedChange[],
): Promise<Problem[]> {
  const bytesOf = (side: 'before' | 'after') =>
    Buffer.byteLength(JSON.stringify(changes.flatMap((change) => change[side] ?? [])))
  const growth = bytesOf('after') - bytesOf('before')
  if (growth <= 0 || (await readValueBytes(db, scopeId)) + growth <= SCOPE_MIB_MAX * 1024 * 1024) return []
  return [{ errorCode: 'REQUEST_INVALID', ...platformMessage('scopeFull', { max: SCOPE_MIB_MAX }) }]
}

/**
 * The domains that changes cannot set, because another gateway of the environment uses them. A gateway elsewhere is named only
 * to a person who may see it; and not at all to those who read a change request or a batch, who may see less than its author.
 *
 * @param released The changes that end the uses of their properties: by default `changes`. A use that ends is no problem.
 * @param ownerOf The installation of a resource.
 */
export async function loadDomainProblems(
  { db, actor, way }: { db: Db; actor: Actor; way: Way },
  scope: Scope,
  {
    changes,
    released = changes,
    facts,
  }: {
    changes: readonly PlannedChange[]
    released?: readonly PlannedChange[]
    facts: ReadonlyMap<string, ResourceFacts>
  },
  ownerOf: (locator: string) => string | undefined,
): Promise<Problem[]> {
  const uses = domainsOfChanges(changes, facts)
  const holders = await readDomainHolders(
    db,
    scope.environmentKey,
    uses.map(({ domain }) => domain),
  )
  const isReleased = isAmong(released)
  const others = holders.filter(
    (holder) => ownerOf(holder.locator) !== holder.bundleInstallId || !isReleased(holder),
  )
  const isReadByOthers = way.isApproved === true || way.isItem === true
  return domainProblems(uses, others, (elsewhere) =>
    isReadByOthers ? scopeText(elsewhere) === scopeText(scope) : mayIn(actor.grants, 'read', elsewhere),
  )
}

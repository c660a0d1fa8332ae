import { mayIn } from '#contract/endpoint/permission.ts'
import type { ResourceFacts } from '../../engine/changes/full-changes.ts'
import { domainProblems, domainsOfChanges } from '../../engine/changes/gateway-domains.ts'
import type { Problem } from '../../engine/refusals.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { PlannedChange } from '../../model/plan.ts'
import { readDomainHolders } from '../../store/configuration/gateway-domains.ts'

/**
 * The domains that changes cannot set, because another gateway of the environment uses them.
 *
 * @param released The changes that end the uses of their properties: by default `changes`. A use that ends is no problem.
 * @param ownerOf The installation of a resource.
 */
export async function loadDomainProblems(
  { db, actor }: { db: Db; actor: Actor },
  environmentKey: string,
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
    environmentKey,
    uses.map(({ domain }) => domain),
  )
  const others = holders.filter(
    (holder) =>
      ownerOf(holder.locator) !== holder.bundleInstallId ||
      !released.some(({ locator, property }) => locator === holder.locator && property === holder.property),
  )
  return domainProblems(uses, others, (scope) => mayIn(actor.grants, 'read', scope))
}

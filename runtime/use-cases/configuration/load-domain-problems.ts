import { mayIn } from '#contract/endpoint/permission.ts'
import { domainProblems } from '../../engine/changes/gateway-domains.ts'
import type { Problem } from '../../engine/problem.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import type { DomainUse } from '../../model/gateway-domain.ts'
import { readDomainHolders } from '../../store/configuration/gateway-domains.ts'

/**
 * The domains that cannot be used, because another gateway of the environment uses them.
 *
 * @param ownerOf The installation of a resource; a use by a property that is among `uses` of the same installation is
 *   replaced, and so is no problem.
 */
export async function loadDomainProblems(
  { db, actor }: { db: Db; actor: Actor },
  environmentKey: string,
  uses: readonly DomainUse[],
  changed: readonly { locator: string; property: string }[],
  ownerOf: (locator: string) => string | undefined,
): Promise<Problem[]> {
  const holders = await readDomainHolders(
    db,
    environmentKey,
    uses.map(({ domain }) => domain),
  )
  const others = holders.filter(
    (holder) =>
      ownerOf(holder.locator) !== holder.bundleInstallId ||
      !changed.some(({ locator, property }) => locator === holder.locator && property === holder.property),
  )
  return domainProblems(uses, others, (scope) => mayIn(actor.grants, 'read', scope))
}

import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { ClaimState } from '#contract/runtime-api/vocabulary.ts'
import type { Db } from '../../model/db.ts'

export type WantedClaim = ClaimState | 'any' | 'none'

/** Up to this number of claims, looking up each installation is faster than filtering a scan of all installations. */
const LOOKUP_LIMIT = 2000

/** The condition that a row of `runtime.installation` has one of the wanted claims. */
export async function claimedAs(
  db: Db,
  wanted: readonly WantedClaim[],
  lookupLimit = LOOKUP_LIMIT,
): Promise<RawBuilder<unknown>> {
  const isUnclaimed = sql`not exists (select from runtime.operation as claimed
    where claimed.bundle_install_id = installation.bundle_install_id and claimed.holds_claim)`
  const states = wanted.filter((claim) => claim !== 'any' && claim !== 'none')
  const claimed = sql<{ bundle_install_id: string }>`
    select claimed.bundle_install_id from runtime.operation as claimed
    where claimed.holds_claim and ${wanted.includes('any') ? sql`true` : sql`claimed.state = any(${states}::text[])`}`
  // `is true` makes the planner hash the claims once instead of joining them
  const isHeld = sql`(installation.bundle_install_id in (${claimed})) is true`
  if (wanted.includes('none')) return wanted.length === 1 ? isUnclaimed : sql`(${isUnclaimed} or ${isHeld})`

  const { rows } = await sql<{ bundle_install_id: string }>`
    ${claimed} limit ${lookupLimit + 1}`.execute(db)
  if (rows.length > lookupLimit) return isHeld
  const ids = rows.map(({ bundle_install_id }) => bundle_install_id)
  // the ids narrow the search; the second condition drops claims that were released in the meantime
  return sql`(installation.bundle_install_id = any(${ids}::uuid[]) and ${isHeld})`
}

import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { ClaimState } from '#contract/runtime-api/vocabulary.ts'
import type { Db } from '../../model/db.ts'

export type WantedClaim = ClaimState | 'any' | 'none'

/** So many are sooner looked up one by one than met on the way through all installations. */
const SOONER_LOOKED_UP = 2000

/** The condition on `runtime.installation` that it is claimed in one of the wanted ways. */
export async function claimedAs(
  db: Db,
  wanted: readonly WantedClaim[],
  soonerLookedUp = SOONER_LOOKED_UP,
): Promise<RawBuilder<unknown>> {
  const isUnclaimed = sql`not exists (select from runtime.operation as held
    where held.bundle_install_id = installation.bundle_install_id and held.holds_claim)`
  const states = wanted.filter((claim) => claim !== 'any' && claim !== 'none')
  const held = sql<{ bundle_install_id: string }>`
    select held.bundle_install_id from runtime.operation as held
    where held.holds_claim and ${wanted.includes('any') ? sql`true` : sql`held.state = any(${states}::text[])`}`
  // `is true`: so that the claims are put into a hash once, rather than joined
  const isHeld = sql`(installation.bundle_install_id in (${held})) is true`
  if (wanted.includes('none')) return wanted.length === 1 ? isUnclaimed : sql`(${isUnclaimed} or ${isHeld})`

  const { rows } = await sql<{ bundle_install_id: string }>`
    ${held} limit ${soonerLookedUp + 1}`.execute(db)
  if (rows.length > soonerLookedUp) return isHeld
  const ids = rows.map(({ bundle_install_id }) => bundle_install_id)
  // the first narrows, the second keeps out what has let go of its claim since
  return sql`(installation.bundle_install_id = any(${ids}::uuid[]) and ${isHeld})`
}

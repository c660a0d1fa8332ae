import canonicalize from 'canonicalize'
import type { Random } from '#http-kit/random.ts'
import type { Db } from '../../model/db.ts'
import type { FrozenPlan } from '../../model/plan.ts'
import type { Vault } from '../../model/vault.ts'
import { DoesNotOpen, opening, UnknownDataKey } from '../../sealing/opening.ts'

/** The values that a plan sets, as text that does not depend on the order of members or properties. */
export function plannedValues(plan: FrozenPlan | null): string {
  const lines = (plan?.changes ?? []).map(({ locator, property, after }) => [locator, property, after])
  return canonicalText(lines.map((line) => canonicalText(line)).toSorted())
}

/** JSON in canonical form (RFC 8785). */
export function canonicalText(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('Values must be JSON')
  return text
}

/**
 * A keyed digest of values for a plan token. It reveals nothing without the key; the random part keeps two tokens from
 * being compared, which would tell whether a guessed value is the same as a hidden one.
 */
export function valuesDigestOf({ vault, random }: { vault: Vault; random: Random }, values: string): string {
  const salt = Buffer.from(random.bytes(9)).toString('base64url')
  return `${salt}.${vault.digest(`${salt}\n${values}`).toString('base64url')}`
}

/** Whether a digest was made of these values. False also for a digest that nobody made. */
export async function isValuesDigestOf(
  { db, vault }: { db: Db; vault: Vault },
  digest: string,
  values: string,
): Promise<boolean> {
  const [salt = '', keyed = ''] = digest.split('.')
  try {
    return await opening(vault, db, () =>
      vault.isDigestOf(Buffer.from(keyed, 'base64url'), `${salt}\n${values}`),
    )
  } catch (error) {
    if (error instanceof DoesNotOpen || error instanceof UnknownDataKey) return false
    throw error
  }
}

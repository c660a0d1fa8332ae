import { createHash } from 'node:crypto'
import type { Awaitable } from './awaitable.ts'

/**
 * A name that is the same in every attempt: the prefix, a dash, and 32 hexadecimal digits derived from the identity.
 * Name an effect outside of the store after what it belongs to, such as the bundleInstallId, so that it can be found
 * again.
 */
export const deterministicName = (prefix: string, ...identity: readonly string[]): string =>
  `${prefix}-${createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32)}`

/**
 * Creates an effect outside of the store at most once, even if the plugin crashes after creating it and before
 * recording it: an existing effect with the name is adopted. After a failed creation it looks for the effect once more,
 * because only the response may have been lost; if there is none, the error is thrown.
 */
export async function findOrAdopt<Found>({
  find,
  create,
}: {
  /** Null or undefined: there is none. */
  find: () => Awaitable<Found | null | undefined>
  create: () => Awaitable<Found>
}): Promise<Found> {
  const found = await find()
  if (found !== null && found !== undefined) return found
  try {
    return await create()
  } catch (error) {
    const made = await find()
    if (made !== null && made !== undefined) return made
    throw error
  }
}

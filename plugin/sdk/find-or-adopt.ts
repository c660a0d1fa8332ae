import { createHash } from 'node:crypto'
import type { Awaitable } from './store.ts'

/**
 * A name that comes out the same in every repeat: the prefix, a dash, and 32 hexadecimal digits made of the identity.
 * Name an effect outside of the store by what it belongs to, such as the bundleInstallId, so that it can be found again.
 */
export const deterministicName = (prefix: string, ...identity: readonly string[]): string =>
  `${prefix}-${createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32)}`

/**
 * Makes an effect outside of the store at most once, also when the plugin crashed after making it and before noting so:
 * what already bears the name is adopted. A creation that failed is looked for once more, because its answer may have
 * been lost; when it is not there either, its error is thrown.
 */
export async function findOrAdopt<Found>({
  find,
  create,
}: {
  find: () => Awaitable<Found | null>
  create: () => Awaitable<Found>
}): Promise<Found> {
  const found = await find()
  if (found !== null) return found
  try {
    return await create()
  } catch (error) {
    const made = await find()
    if (made !== null) return made
    throw error
  }
}

import type { Vault } from '../model/vault.ts'
import { addressPlace } from './places.ts'

/** A path that is shorter hides nothing but its last four characters. */
const PATH_MIN = 16

/**
 * What people see of the address of a webhook, because many receivers take a secret in its path: the origin, and the last
 * four characters of a long path.
 */
export function shownAddress(address: string): string {
  const { origin, pathname } = new URL(address)
  if (pathname === '/') return origin
  return `${origin}/…${pathname.length > PATH_MIN ? pathname.slice(-4) : ''}`
}

/** The columns of an address. */
export function sealedAddress(vault: Vault, webhookId: string, address: string) {
  const sealed = vault.seal(Buffer.from(address, 'utf8'), addressPlace(webhookId))
  return { url: shownAddress(address), address: sealed }
}

/** The address that is called. */
export function openAddress(
  vault: Vault,
  { webhook_id: id, address }: { webhook_id: string; address: Buffer },
): string {
  return vault.open(address, addressPlace(id)).toString('utf8')
}

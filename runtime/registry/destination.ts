import { allowsDestination } from '#edge/egress.ts'
import type { EgressRule } from '#edge/egress.ts'
import { Refusal } from '../refusal.ts'

/**
 * Refuses an address that no call could ever reach. What a name stands for is checked again with each connection; this
 * only tells the admin at once.
 */
export function demandReachable(rules: readonly EgressRule[], address: string, field: string): void {
  const url = new URL(address)
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  const destination = { protocol: url.protocol, host: url.hostname.replace(/^\[|\]$/g, ''), port }
  if (allowsDestination(rules, destination)) return
  const message = 'The setting EGRESS_ALLOW does not allow calls to this host and port'
  throw new Refusal('REQUEST_INVALID', `${field}: ${message}.`, {
    details: [{ path: `body.${field}`, errorCode: 'REQUEST_INVALID', message }],
  })
}

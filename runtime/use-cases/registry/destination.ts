import { allowsDestination, destinationOf } from '#http-kit/egress.ts'
import type { EgressRule } from '#http-kit/egress.ts'
import { namesPlatform } from '#http-kit/platform-addresses.ts'
import type { PlatformAddresses } from '#http-kit/platform-addresses.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { PlatformMessage } from '#contract/protocol/platform-messages.ts'
import { DomainError } from '../../engine/refusals.ts'

/** The allowed addresses of plugins and services. */
export interface Egress {
  allow: readonly EgressRule[]
  /** Addresses of the platform itself, which `allow` never permits. */
  platform: PlatformAddresses
}

/**
 * Refuses an address that no call could ever reach. Name resolution is checked again for each connection; this check
 * only gives the administrator immediate feedback.
 */
export function requireReachable({ allow, platform }: Egress, address: string, field: string): void {
  const destination = destinationOf(new URL(address))
  if (!allowsDestination(allow, destination)) throw unreachable(field, platformMessage('addressNotAllowed'))
  if (namesPlatform(platform, destination)) throw unreachable(field, platformMessage('addressOfPlatform'))
}

function unreachable(field: string, reason: PlatformMessage): DomainError {
  return new DomainError('REQUEST_INVALID', `${field}: ${reason.message}`, {
    details: [{ path: `body.${field}`, errorCode: 'REQUEST_INVALID', ...reason }],
  })
}

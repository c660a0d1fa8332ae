import { allowsDestination, destinationOf } from '#http-kit/egress.ts'
import type { EgressRule } from '#http-kit/egress.ts'
import { namesPlatform } from '#http-kit/platform-addresses.ts'
import type { PlatformAddresses } from '#http-kit/platform-addresses.ts'
import { DomainError } from '../../engine/domain-error.ts'

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
  if (!allowsDestination(allow, destination))
    throw unreachable(
      field,
      'The setting EGRESS_ALLOW does not allow calls to this host and port. Enter another address, or ask the platform team to allow this one',
    )
  if (namesPlatform(platform, destination))
    throw unreachable(
      field,
      'This is an address of the platform itself: its console, runtime, or database. Enter the address of the service',
    )
}

function unreachable(field: string, message: string): DomainError {
  return new DomainError('REQUEST_INVALID', `${field}: ${message}.`, {
    details: [{ path: `body.${field}`, errorCode: 'REQUEST_INVALID', message }],
  })
}

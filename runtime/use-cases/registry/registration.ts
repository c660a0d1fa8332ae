import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { PlatformMessage } from '#contract/protocol/platform-messages.ts'
import { allowsDestination, destinationOf, namesPlatform } from '#http-kit/egress.ts'
import type { EgressRule, PlatformAddresses } from '#http-kit/egress.ts'
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
  if (!allowsDestination(allow, destination)) {
    const isForHttps = allowsDestination(allow, { ...destination, protocol: 'https:' })
    throw unreachable(field, platformMessage(isForHttps ? 'addressNeedsHttps' : 'addressNotAllowed'))
  }
  if (namesPlatform(platform, destination)) throw unreachable(field, platformMessage('addressOfPlatform'))
}

function unreachable(field: string, reason: PlatformMessage): DomainError {
  return new DomainError('REQUEST_INVALID', `${field}: ${reason.message}`, {
    details: [{ path: `body.${field}`, errorCode: 'REQUEST_INVALID', ...reason }],
  })
}

/**
 * Refuses with REGISTRATION_EXISTS or REGISTRATION_STALE unless the registration is the one that the caller saw: null
 * for none, undefined for any.
 */
export function requireExpected(
  expected: string | null | undefined,
  current: { updated_at: string } | undefined,
  param: 'pluginId' | 'serviceId',
): void {
  if (expected === undefined) return
  if (expected === null) {
    if (current !== undefined) throw registrationExists(param)
  } else if (current?.updated_at !== expected)
    throw new DomainError('REGISTRATION_STALE', platformMessage('registrationStale'))
}

/** The refusal of an ID that is registered already. */
export function registrationExists(param: 'pluginId' | 'serviceId'): DomainError {
  const exists = platformMessage('registrationExists')
  return new DomainError('REGISTRATION_EXISTS', exists, {
    details: [{ path: `path.${param}`, errorCode: 'REGISTRATION_EXISTS', ...exists }],
  })
}

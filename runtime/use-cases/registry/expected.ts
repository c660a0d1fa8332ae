import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { DomainError } from '../../engine/refusals.ts'

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

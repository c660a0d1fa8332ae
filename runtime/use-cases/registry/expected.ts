import { DomainError } from '../../engine/domain-error.ts'

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
    throw new DomainError('REGISTRATION_STALE', 'The registration has changed since it was read')
}

/** The refusal of an ID that is registered already. */
export function registrationExists(param: 'pluginId' | 'serviceId'): DomainError {
  const message = 'This ID is already registered'
  return new DomainError('REGISTRATION_EXISTS', message, {
    details: [{ path: `path.${param}`, errorCode: 'REGISTRATION_EXISTS', message }],
  })
}

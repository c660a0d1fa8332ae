import { createHash, timingSafeEqual } from 'node:crypto'
import { TransportError } from '#http-kit/problem.ts'

/** The token of `Authorization: Bearer …`, or undefined for anything else. */
export function bearerOf(request: Request): string | undefined {
  return /^Bearer ([A-Za-z0-9._~+/=-]{1,4096})$/i.exec(request.headers.get('authorization') ?? '')?.[1]
}

/** Compares in constant time; hashing first makes the lengths equal. */
export function createServiceCheck(credentials: readonly string[]): (request: Request) => void {
  const known = credentials.map(digest)
  return (request) => {
    const token = digest(bearerOf(request) ?? '')
    // all are compared, so that the time does not reveal which one almost matched
    const matches = known.filter((credential) => timingSafeEqual(credential, token))
    if (matches.length === 0) throw unauthenticated('The service credential is missing or unknown')
  }
}

/** @param challenge what is missing: the service's credential, or the assertion of whom it acts for. */
export function unauthenticated(
  message: string,
  challenge: 'Bearer' | 'Actor-Assertion' = 'Bearer',
): TransportError {
  return new TransportError('AUTHENTICATION_REQUIRED', message, { 'www-authenticate': challenge })
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

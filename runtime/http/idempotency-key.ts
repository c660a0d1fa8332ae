import type { JsonValue } from '#contract/json-schema/json.ts'
import { DomainError } from '../engine/refusals.ts'

/** The `Idempotency-Key` of a write. */
export function idempotencyKeyOf(request: Request): string {
  const key = request.headers.get('idempotency-key')
  if (key !== null && /^[A-Za-z0-9._~-]{1,128}$/.test(key)) return key
  const message =
    key === null
      ? 'This call needs the header Idempotency-Key'
      : 'The header Idempotency-Key must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ -'
  throw new DomainError('REQUEST_INVALID', message, {
    details: [{ path: 'header.Idempotency-Key', errorCode: 'REQUEST_INVALID', message }],
  })
}

/** The same text for the same JSON, whatever the order of its keys or its white space. */
export function requestText(body: JsonValue | undefined): string {
  return JSON.stringify(body ?? null, (_, value: JsonValue) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

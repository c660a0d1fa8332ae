import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import { readLifecycleRequest } from '#plugin-sdk/src/http.ts'
import { HONEST } from './script.ts'
import type { LogEntry, StoredRule } from './script-store.ts'

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

/** The request, or null if it is invalid: then the SDK rejects it like any other. */
export function readLeniently(body: Uint8Array): LifecycleRequest | null {
  try {
    return readLifecycleRequest(body)
  } catch {
    return null
  }
}

export interface Arrival {
  arrived: Request
  body: Uint8Array
  request: LifecycleRequest | null
  rule: StoredRule | null
}

/** The log entry for a call that has just arrived. */
export const describeArrival = ({ arrived, body, request, rule }: Arrival): Omit<LogEntry, 'id'> => ({
  at: new Date().toISOString(),
  path: new URL(arrived.url).pathname,
  sha256: sha256(body),
  byteLength: body.byteLength,
  operationId: request?.operation.operationId ?? null,
  operationType: request?.operation.operationType ?? null,
  stage: request?.stage ?? null,
  executionSequence: request?.executionSequence ?? null,
  bundleInstallId: request?.installation.bundleInstallId ?? null,
  bundleId: request?.installation.bundle.bundleId ?? null,
  claims: claimsOf(arrived.headers.get('authorization')),
  headers: [...arrived.headers.keys()],
  ruleId: rule?.ruleId ?? null,
  behaviour: (rule?.rule.behaviour ?? HONEST).kind,
  status: null,
  answerSha256: null,
  endedAt: null,
})

// Only decoded: the SDK verifies the token and responds with 401 if it is not the runtime's.
function claimsOf(authorization: string | null): Record<string, unknown> | null {
  try {
    return decodeJwt((authorization ?? '').replace(/^Bearer /i, ''))
  } catch {
    return null
  }
}

import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import { readLifecycleRequest } from '../../sdk/http.ts'
import { HONEST } from './script.ts'
import type { LogEntry, StoredRule } from './script-store.ts'

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')

/** The request, or null when it is none: the SDK then refuses it as it refuses others. */
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

/** The log's entry for a call that has just come in. */
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

// Only read: whether the token is the runtime's is for the SDK to say, which answers 401 when it is not.
function claimsOf(authorization: string | null): Record<string, unknown> | null {
  try {
    return decodeJwt((authorization ?? '').replace(/^Bearer /i, ''))
  } catch {
    return null
  }
}

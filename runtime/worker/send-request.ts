import { ANSWER_BYTES_MAX } from '#contract/protocol/limits.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { OutboundResult } from '#http-kit/outbound-types.ts'

export interface LifecycleCall {
  endpoint: string
  timeoutMs: number
  /** The frozen request. */
  bytes: Uint8Array
  /** See signLifecycleToken. */
  token: string
  signal?: AbortSignal
}

/**
 * Makes one lifecycle call. What came back, or why nothing did, is a value and is for judgeAnswer; redirects are not
 * followed. The token stands in this one header only and is never kept.
 */
export function sendLifecycleCall(
  deps: Pick<RuntimeDeps, 'http'>,
  call: LifecycleCall,
): Promise<OutboundResult> {
  return deps.http.request({
    method: 'POST',
    url: call.endpoint,
    headers: {
      authorization: `Bearer ${call.token}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: call.bytes,
    timeoutMs: call.timeoutMs,
    maxResponseBytes: ANSWER_BYTES_MAX,
    ...(call.signal !== undefined && { signal: call.signal }),
  })
}

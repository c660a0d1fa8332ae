import { ANSWER_BYTES_MAX } from '#contract/protocol/limits.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import type { OutboundRequest, OutboundResult } from '#http-kit/outbound-types.ts'

export interface LifecycleCall {
  endpoint: string
  timeoutMs: number
  /** The frozen request. */
  bytes: Uint8Array
  /** See signLifecycleToken. */
  token: string
  signal?: AbortSignal
  /** See OutboundRequest. */
  onProgress?: OutboundRequest['onProgress']
}

/**
 * Makes one lifecycle call. The response, or why there is none, is returned for judgeAnswer; redirects are not
 * followed. The token is sent only in this header and is never stored.
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
    ...(call.onProgress !== undefined && { onProgress: call.onProgress }),
  })
}

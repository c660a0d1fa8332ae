import type { Outbound } from '#http-kit/outbound-result.ts'
import type { OpenEvents } from '../routes/events.ts'
import { failureOfStatus, failureOfTransport } from './runtime-client.ts'

const CONNECT_MS = 5_000
/** The runtime sends something at least every 15 s. */
const SILENCE_MS = 45_000

/** Opens the event stream of the runtime; throws a ConsoleFailure if it cannot be opened. */
export function createRuntimeEvents(options: {
  outbound: Outbound
  baseUrl: string
  credential: string
}): OpenEvents {
  const url = `${options.baseUrl.replace(/\/$/, '')}/events`
  return async ({ assertion, lastEventId, requestId, signal }) => {
    const response = await options.outbound.stream({
      url,
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${options.credential}`,
        'x-runtime-actor-assertion': assertion,
        'x-request-id': requestId,
        ...(lastEventId !== null && { 'last-event-id': lastEventId }),
      },
      timeoutMs: CONNECT_MS,
      idleMs: SILENCE_MS,
      signal,
    })
    if (response.kind === 'failed') throw failureOfTransport(response.reason)
    if (response.status === 200) return response.body
    response.discard()
    throw failureOfStatus(response.status)
  }
}

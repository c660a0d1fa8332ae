import { Pool } from 'undici'
import type { OpenEvents } from './routes/events.ts'

const CONNECT_MS = 5_000
/** The runtime says something at least every 15 s. */
const SILENCE_MS = 45_000

/** Opens the event stream of the runtime; null when there is none to be had now. */
export function createRuntimeEvents(
  baseUrl: string,
  credential: string,
): { open: OpenEvents; close(): Promise<void> } {
  const { origin, pathname } = new URL(baseUrl)
  const pool = new Pool(origin, {
    connect: { timeout: CONNECT_MS },
    bodyTimeout: SILENCE_MS,
    headersTimeout: CONNECT_MS,
  })
  return {
    async open({ assertion, lastEventId, requestId, signal }) {
      const response = await pool
        .request({
          path: `${pathname.replace(/\/$/, '')}/events`,
          method: 'GET',
          headers: {
            accept: 'text/event-stream',
            authorization: `Bearer ${credential}`,
            'x-runtime-actor-assertion': assertion,
            'x-request-id': requestId,
            ...(lastEventId !== null && { 'last-event-id': lastEventId }),
          },
          signal,
        })
        .catch(() => null)
      if (response === null) return null
      if (response.statusCode === 200) return response.body
      await response.body.dump()
      return null
    },
    close: () => pool.destroy(),
  }
}

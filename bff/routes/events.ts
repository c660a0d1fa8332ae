import { setTimeout as sleep } from 'node:timers/promises'
import { streamSSE } from 'hono/streaming'
import type { Context } from 'hono'
import { eventSourceReader } from '../event-source.ts'
import type { SourcedEvent } from '../event-source.ts'
import { RuntimeEvent } from '#contract/runtime-api/events.ts'
import { mayIn } from '#contract/endpoint/permission.ts'
import { readStrictJson } from '#edge/strict-json.ts'
import type { AssertedPerson } from '../actor-assertion.ts'
import type { ApiVariables } from './endpoints.ts'

/** Opens the runtime's event stream for a person, from after `lastEventId` on. */
export type OpenEvents = (request: {
  assertion: string
  lastEventId: string | null
  requestId: string
  signal: AbortSignal
}) => Promise<AsyncIterable<Uint8Array> | null>

export interface EventOptions {
  open: OpenEvents
  assertionOf: (person: AssertedPerson) => Promise<string>
  /** Asked every half minute: a stream ends with its session. */
  isStillSignedIn: (c: Context<{ Variables: ApiVariables }>) => Promise<boolean>
  /** Ends every stream when the server stops. */
  stopping: AbortSignal
  /** Default 30,000. */
  checkMs?: number
}

const CHECK_MS = 30_000
/** Before the runtime is asked for its stream again, which it may end at once. */
const REOPEN_MS = 100
const EVENT_ID = /^[0-9A-Za-z-]{1,64}$/

/**
 * `GET /api/events`: the runtime's events, checked and filtered again for the person. The runtime ends its streams from
 * time to time; they are taken up again here where they ended, so that the browser sees one stream.
 */
export function eventRoute(options: EventOptions) {
  return (c: Context<{ Variables: ApiVariables }>): Response => {
    const given = c.req.header('last-event-id') ?? ''
    return streamSSE(c, async (stream) => {
      const ended = new AbortController()
      const end = () => ended.abort()
      stream.onAbort(end)
      options.stopping.addEventListener('abort', end, { once: true })
      const check = setInterval(() => {
        // where that cannot be known, whoever comes back is asked again
        const signedIn = options.isStillSignedIn(c).catch(() => false)
        void signedIn.then((isSignedIn) => isSignedIn || end())
      }, options.checkMs ?? CHECK_MS)
      try {
        let lastEventId = EVENT_ID.test(given) ? given : null
        while (!ended.signal.aborted) {
          const source = await options.open({
            assertion: await options.assertionOf(c.var.person),
            lastEventId,
            requestId: c.var.requestId,
            signal: ended.signal,
          })
          // a runtime that is gone ends the browser's stream too, which tells the person and tries again
          if (source === null) return
          await stream.write(': connected\n\n')
          for await (const event of eventSourceReader(source)) {
            if (event.kind === 'comment') await stream.write(': \n\n')
            else if (event.kind === 'position') {
              if (!EVENT_ID.test(event.id)) continue
              lastEventId = event.id
              await stream.write(`id: ${event.id}\n\n`)
            } else if (await pass(event, c.var.person, (message) => stream.writeSSE(message)))
              lastEventId = event.id
          }
          await sleep(REOPEN_MS, undefined, { signal: ended.signal })
        }
      } catch (error) {
        if (!ended.signal.aborted) throw error
      } finally {
        clearInterval(check)
        options.stopping.removeEventListener('abort', end)
        ended.abort()
      }
    })
  }
}

async function pass(
  event: Extract<SourcedEvent, { kind: 'event' }>,
  person: AssertedPerson,
  write: (message: { id: string; event: string; data: string }) => Promise<void>,
): Promise<boolean> {
  if (!EVENT_ID.test(event.id)) return false
  if (event.event === 'reset') {
    await write({ id: event.id, event: 'reset', data: '{}' })
    return true
  }
  const data = readStrictJson(event.data)
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false
  const parsed = RuntimeEvent.safeParse({ ...data, kind: event.event })
  if (!parsed.success) return false
  const { kind, ...rest } = parsed.data
  if (mayIn(person.grants, 'read', rest.scope))
    await write({ id: event.id, event: kind, data: JSON.stringify(rest) })
  return true
}

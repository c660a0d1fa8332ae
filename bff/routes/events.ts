import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'hono'
import { RuntimeEvent } from '#contract/runtime-api/events.ts'
import { mayIn } from '#contract/endpoint/permission.ts'
import { createEventBody, EVENT_STREAM_HEADERS, formatEvent } from '#http-kit/event-stream.ts'
import type { EventBody } from '#http-kit/event-stream.ts'
import type { Log } from '#http-kit/log.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { hideProtectedProperty } from '#contract/protocol/protected-property.ts'
import type { AssertedPerson } from '../runtime/actor-assertion.ts'
import type { OpenEvents, SourcedEvent } from '../runtime/runtime-events.ts'
import { EventTooLargeError, readEventSource } from '../runtime/runtime-events.ts'
import { ConsoleFailure } from '../failure.ts'
import type { Person, SessionVariables } from '../session/sessions.ts'
import { createStreamRegistry, STREAM_LIMITS } from './stream-registry.ts'
import type { StreamLimits } from './stream-registry.ts'

export interface EventOptions {
  open: OpenEvents
  assertionOf: (person: AssertedPerson) => Promise<string>
  /** Called every 30 s; null if the session has ended. A stream ends with its session, and when the person may do other things. */
  findPerson: (c: EventContext) => Promise<Pick<Person, 'grants'> | null>
  /** Called with each event position that the runtime reports. */
  onPosition?: (id: string) => void
  /** Ends every stream when the server stops. */
  stopping: AbortSignal
  log: Log
  /** Default 30,000. */
  checkMs?: number
  /** How often a comment is sent, so that the browser notices a server that does not respond; default 2,000. */
  heartbeatMs?: number
  /** How long a reader may stall before its stream ends; default 30,000. */
  stallMs?: number
  limits?: StreamLimits | undefined
}

type EventContext = Context<{ Variables: SessionVariables }>

const CHECK_MS = 30_000
/** The browser treats a stream that is silent for twice as long as lost. */
const HEARTBEAT_MS = 2_000
/** The pause before the runtime's stream is reopened, because the runtime may end it immediately. */
const REOPEN_MS = 100
/** Reading from the runtime pauses while the browser has this much unread. */
const MAX_UNREAD_BYTES = 64 * 1024
/** When a browser whose stream was refused may retry. */
const RETRY_AFTER_SECONDS = '5'
const EVENT_ID = /^[0-9A-Za-z-]{1,64}$/

/**
 * `GET /api/events`: the runtime's events, checked and filtered again for the person. The runtime ends its
 * streams from time to time; they are resumed here, so that the browser sees one stream. The stream ends with
 * the session, with the grants it was opened with, with the server, and when the browser disconnects or stops reading. If a person has too many
 * streams, the oldest one ends with the event `replaced`. An unreadable event becomes a `reset`, after which
 * the browser refetches everything. The request is refused if there are too many streams in total, or if the
 * runtime refuses one.
 */
export function eventRoute(options: EventOptions) {
  const registry = createStreamRegistry(options.limits ?? STREAM_LIMITS)
  return async (c: EventContext): Promise<Response> => {
    // Hono serves HEAD with the handler of GET, and nobody would read that stream
    if (c.req.method === 'HEAD') return c.body(null, 200, EVENT_STREAM_HEADERS)
    const { stallMs } = options
    const body = createEventBody({
      maxUnreadBytes: MAX_UNREAD_BYTES,
      ...(stallMs !== undefined && { stallMs }),
    })
    const { id: personId, sessionId } = c.var.person
    const release = registry.admit({ personId, sessionId }, () => {
      body.send(formatEvent({ event: 'replaced', data: '{}' }))
      body.end()
    })
    try {
      if (release === null) throw new ConsoleFailure('SERVICE_UNAVAILABLE', { retryable: true })
      body.ended.addEventListener('abort', release)
      keepAlive(c, body, options)
      const given = c.req.header('last-event-id') ?? ''
      const lastEventId = EVENT_ID.test(given) ? given : null
      const source = await openSource(c, body, lastEventId, options)
      void relay(c, body, { source, lastEventId }, options)
        .catch((error: unknown) => {
          if (!body.ended.aborted)
            options.log.error('an event stream failed', { requestId: c.var.requestId }, error)
        })
        .finally(body.end)
      return c.body(body.stream, 200, EVENT_STREAM_HEADERS)
    } catch (error) {
      body.end()
      c.header('Retry-After', RETRY_AFTER_SECONDS)
      throw error
    }
  }
}

/** Keeps the stream alive, and ends it with its session, with its grants and with the server. */
function keepAlive(c: EventContext, body: EventBody, options: EventOptions): void {
  const { stopping } = options
  const check = setInterval(() => {
    // if this cannot be determined, the stream ends and the browser's next request finds out
    const found = options.findPerson(c).catch(() => null)
    void found.then((person) => isSame(person?.grants, c.var.person.grants) || body.end())
  }, options.checkMs ?? CHECK_MS)
  const heartbeat = setInterval(() => body.send(': \n\n'), options.heartbeatMs ?? HEARTBEAT_MS)
  stopping.addEventListener('abort', body.end, { once: true })
  body.ended.addEventListener('abort', () => {
    clearInterval(check)
    clearInterval(heartbeat)
    stopping.removeEventListener('abort', body.end)
  })
  if (stopping.aborted) body.end()
}

const isSame = (grants: Person['grants'] | undefined, opened: Person['grants']): boolean =>
  JSON.stringify(grants) === JSON.stringify(opened)

async function openSource(
  c: EventContext,
  body: EventBody,
  lastEventId: string | null,
  options: EventOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const assertion = await options.assertionOf(c.var.person)
  return options.open({ assertion, lastEventId, requestId: c.var.requestId, signal: body.ended })
}

/**
 * Forwards events of the runtime until the stream ends or the runtime refuses to resume it. After an event that
 * is too large, it reopens the runtime's stream at its end and sends the browser a `reset`.
 */
async function relay(
  c: EventContext,
  body: EventBody,
  first: { source: AsyncIterable<Uint8Array>; lastEventId: string | null },
  options: EventOptions,
): Promise<void> {
  let { source, lastEventId } = first
  let hasMissedEvents = false
  body.send(': connected\n\n')
  for (;;) {
    try {
      for await (const event of readEventSource(source)) {
        const forwarded = hasMissedEvents ? forwardAsReset(event) : forward(c, event, options.log)
        if (forwarded.message !== null) body.send(forwarded.message)
        if (forwarded.id !== null) {
          // a resumed stream starts with the id from the browser, which may be made up
          if (event.kind === 'event' || lastEventId === null) options.onPosition?.(forwarded.id)
          lastEventId = forwarded.id
          hasMissedEvents = false
        }
        await body.drained()
        // returning closes the connection to the runtime
        if (body.ended.aborted) return
      }
    } catch (error) {
      if (!(error instanceof EventTooLargeError)) throw error
      options.log.warn('an event of the runtime is too large', { requestId: c.var.requestId })
      // resuming would hit the same event again; without an id the browser's next stream also starts with a reset
      lastEventId = null
      hasMissedEvents = true
      body.send(formatEvent({ id: '' }))
    }
    await sleep(REOPEN_MS, undefined, { signal: body.ended })
    try {
      source = await openSource(c, body, lastEventId, options)
    } catch (error) {
      // the browser's stream ends too; its next request gets the reason
      if (error instanceof ConsoleFailure) return
      throw error
    }
  }
}

interface Forwarded {
  /** The id to resume after; null if there is none. */
  id: string | null
  /** The message to the browser; null if there is none. */
  message: string | null
}

const SKIPPED: Forwarded = { id: null, message: null }
const KINDS: ReadonlySet<string> = new Set(RuntimeEvent.options.map(({ shape }) => shape.kind.value))

function forward(c: EventContext, event: SourcedEvent, log: Log): Forwarded {
  if (event.kind === 'comment') return { id: null, message: ': \n\n' }
  const { id } = event
  if (!EVENT_ID.test(id)) return SKIPPED
  if (event.kind === 'position') return { id, message: formatEvent({ id }) }
  if (event.event === 'reset') return resetAt(id)
  // a newer runtime may send unknown kinds
  if (!KINDS.has(event.event)) return { id, message: formatEvent({ id }) }
  const read = readEvent(event)
  if (read === null) {
    log.warn('an event of the runtime is not valid', { requestId: c.var.requestId, eventId: id })
    return resetAt(id)
  }
  const { kind, ...rest } = read
  if (!mayIn(c.var.person.grants, 'read', rest.scope)) return { id, message: null }
  return { id, message: formatEvent({ id, event: kind, data: JSON.stringify(hideProtectedProperty(rest)) }) }
}

/** Events were missed: the first item with an id becomes the reset. */
function forwardAsReset(event: SourcedEvent): Forwarded {
  return event.kind !== 'comment' && EVENT_ID.test(event.id) ? resetAt(event.id) : SKIPPED
}

/** Makes the browser refetch everything that it shows. */
function resetAt(id: string): Forwarded {
  return { id, message: formatEvent({ id, event: 'reset', data: '{}' }) }
}

/** The event, or null if it is not JSON or violates the contract. */
function readEvent({ event, data }: { event: string; data: string }): RuntimeEvent | null {
  try {
    const value = parseStrictJson(data)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    return RuntimeEvent.safeParse({ ...value, kind: event }).data ?? null
  } catch {
    return null
  }
}

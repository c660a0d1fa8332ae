import type { Outbound } from '#http-kit/outbound-result.ts'
import { failureOfStatus, failureOfTransport } from './runtime-client.ts'
import { createParser } from 'eventsource-parser'

const CONNECT_MS = 5_000
/** The runtime sends something at least every 15 s. */
const SILENCE_MS = 45_000

/**
 * Opens the runtime's event stream for a person, starting after `lastEventId`. Throws a ConsoleFailure if the
 * runtime cannot be reached or refuses it.
 */
export type OpenEvents = (request: {
  assertion: string
  lastEventId: string | null
  requestId: string
  signal: AbortSignal
}) => Promise<AsyncIterable<Uint8Array>>

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

/**
 * An item of a server-sent event stream: an event; an id without data, which is only a position to resume from;
 * or a comment, which only keeps the connection open. `id` is empty if the stream has none.
 */
export type SourcedEvent =
  | { kind: 'event'; id: string; event: string; data: string }
  | { kind: 'position'; id: string }
  | { kind: 'comment' }

/** How much of an incomplete event is buffered; the chunk that completes it comes on top. */
const MAX_BUFFERED_CHARACTERS = 1_048_576

/** An event is too large to buffer. Its id is unknown, so the stream cannot be resumed after it. */
export class EventTooLargeError extends Error {
  constructor() {
    super('An event of the runtime is too large')
    this.name = 'EventTooLargeError'
  }
}

/**
 * Reads `text/event-stream` from chunks of any size.
 *
 * @throws EventTooLargeError after yielding the events before it.
 */
export async function* readEventSource(source: AsyncIterable<Uint8Array>): AsyncGenerator<SourcedEvent> {
  const decoder = new TextDecoder()
  let read: SourcedEvent[] = []
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: MAX_BUFFERED_CHARACTERS,
    onComment: () => read.push({ kind: 'comment' }),
    onId: (id) => read.push({ kind: 'position', id }),
    onEvent({ id, event = 'message', data }) {
      // the parser has just reported the id of the same event, which would count the event as received
      if (id !== undefined) read.pop()
      read.push({ kind: 'event', id: id ?? '', event, data })
    },
    onError({ type }) {
      isTooLarge ||= type === 'max-buffer-size-exceeded'
    },
  })
  for await (const chunk of source) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* read
    read = []
    if (isTooLarge) throw new EventTooLargeError()
  }
}

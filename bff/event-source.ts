import { createParser } from 'eventsource-parser'

/**
 * One thing read from a server-sent event stream: an event; an id without data, which only says where to resume; or a
 * comment, which only keeps the connection open. An `id` is empty where the stream names none.
 */
export type SourcedEvent =
  | { kind: 'event'; id: string; event: string; data: string }
  | { kind: 'position'; id: string }
  | { kind: 'comment' }

/** What may be buffered of an event that is not complete; the chunk that completes it comes on top. */
const MAX_BUFFERED_CHARACTERS = 1_048_576

/** An event is too large to hold. Its id is unknown, so the stream cannot be resumed after it. */
export class EventTooLargeError extends Error {
  constructor() {
    super('An event of the runtime is too large')
    this.name = 'EventTooLargeError'
  }
}

/**
 * Reads `text/event-stream`, whatever the chunks it arrives in.
 *
 * @throws EventTooLargeError after the events before it.
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
      // the parser has just reported the id of the same event, which alone would say that the event was received
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

/**
 * One thing read from a server-sent event stream: an event; an id without data, which only says from where to resume; or
 * a comment that only keeps the line open.
 */
export type SourcedEvent =
  | { kind: 'event'; id: string; event: string; data: string }
  | { kind: 'position'; id: string }
  | { kind: 'comment' }

const MAX_EVENT_CHARACTERS = 1_048_576

/** Reads `text/event-stream`; an event that is too large ends the stream with an error. */
export async function* eventSourceReader(source: AsyncIterable<Uint8Array>): AsyncGenerator<SourcedEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of source) {
    rest += decoder.decode(chunk, { stream: true })
    if (rest.length > MAX_EVENT_CHARACTERS) throw new RangeError('An event of the runtime is too large')
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      yield readBlock(rest.slice(0, end))
      rest = rest.slice(end + 2)
    }
  }
}

function readBlock(block: string): SourcedEvent {
  const fields = { id: '', event: 'message', data: [] as string[] }
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'data') fields.data.push(value)
    else if (name === 'id' || name === 'event') fields[name] = value
  }
  if (fields.data.length === 0)
    return fields.id === '' ? { kind: 'comment' } : { kind: 'position', id: fields.id }
  return { kind: 'event', id: fields.id, event: fields.event, data: fields.data.join('\n') }
}

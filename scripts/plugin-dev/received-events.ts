import type { IncomingMessage, ServerResponse } from 'node:http'

/** An event that the plugin delivered to a service of the profile. */
export interface ReceivedEvent {
  at: Date
  serviceId: string
  method: string
  eventId: string
  /** The payload as text. */
  payload: string
}

/** The services that the references of the profile name: they confirm every event. */
export interface EventServices {
  handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>
  /** The newest first. */
  received(): readonly ReceivedEvent[]
}

const KEPT = 20
const BYTES_MAX = 1024 * 1024

export function createEventServices(): EventServices {
  const received: ReceivedEvent[] = []
  return {
    async handle(incoming, outgoing) {
      const [, , serviceId = '', method = ''] = (incoming.url ?? '').split('/')
      const chunks: Uint8Array[] = []
      let size = 0
      for await (const chunk of incoming as AsyncIterable<Uint8Array>) {
        size += chunk.byteLength
        if (size <= BYTES_MAX) chunks.push(chunk)
      }
      if (size > BYTES_MAX) return void outgoing.writeHead(413).end()
      received.unshift({
        at: new Date(),
        serviceId: decodeURIComponent(serviceId),
        method: decodeURIComponent(method),
        eventId: String(incoming.headers['event-id'] ?? 'without an Event-Id'),
        payload: Buffer.concat(chunks).toString(),
      })
      received.splice(KEPT)
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      outgoing.end(JSON.stringify({ errorCode: '0', data: null, contractVersion: '1.0.0' }))
    },
    received: () => received,
  }
}

import type { ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { failureEnvelope, successEnvelope } from '../../../contract/protocol/envelope.ts'
import type { JsonValue } from '../../../contract/json-schema/json.ts'
import { lifecycleRequest, LOCATOR } from './lifecycle-request.ts'
import { listen } from '../src/node-listener.ts'
import type { EventToPublish } from '../src/outbox.ts'

/**
 * What the target does with an event: confirm it, refuse it for now, refuse it with a NUL character in its message,
 * confirm it when the test calls `release`, or close the connection.
 */
type Reaction = 'confirm' | 'refuse' | 'refuse with NUL' | 'hang' | 'drop'

export interface EventTarget {
  platformApiBase: string
  /** How often each event reached the target, by its payload. */
  arrivals: Record<string, number>
  /** By payload; default: confirm. */
  reactions: Record<string, Reaction>
  /** Confirms the events that hang. */
  release(): void
}

/**
 * A platform and a target service in one HTTP server, which ends with the test. With `targetUrl`, the platform gives this
 * address of the target instead.
 */
export async function eventTarget(
  t: TestContext,
  { targetUrl }: { targetUrl?: string } = {},
): Promise<EventTarget> {
  const arrivals: EventTarget['arrivals'] = {}
  const reactions: EventTarget['reactions'] = {}
  const hanging: ServerResponse[] = []
  const server = await listen(async (incoming, outgoing) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of incoming) chunks.push(chunk as Uint8Array)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonValue
    const path = incoming.url ?? ''
    if (!path.startsWith('/target/')) {
      outgoing.end(
        JSON.stringify(successEnvelope(platformData(path, body, targetUrl ?? `${server.url}/target`))),
      )
      return
    }
    const name = String(body)
    arrivals[name] = (arrivals[name] ?? 0) + 1
    const reaction = reactions[name] ?? 'confirm'
    if (reaction === 'confirm') outgoing.end(JSON.stringify(successEnvelope(null)))
    if (reaction === 'hang') hanging.push(outgoing)
    if (reaction === 'drop') outgoing.destroy()
    if (reaction === 'refuse' || reaction === 'refuse with NUL') {
      const message = reaction === 'refuse' ? 'The target is busy' : 'The target\0 is busy'
      outgoing.end(JSON.stringify(failureEnvelope('TARGET_BUSY', { message, retryable: true })))
    }
  })
  t.after(() => server.close({ graceMs: 0 }))
  const release = () => {
    for (const outgoing of hanging.splice(0)) outgoing.end(JSON.stringify(successEnvelope(null)))
  }
  return { platformApiBase: server.url, arrivals, reactions, release }
}

function platformData(path: string, request: JsonValue, url: string): JsonValue {
  const echo = request as Record<string, JsonValue>
  if (path.endsWith('/event-declarations/read'))
    return { ...echo, events: { crm: [{ method: 'changed', schema: { type: 'string' } }] } }
  return {
    ...echo,
    reference: { '@type': 'ServiceReference', serviceId: 'crm' },
    access: { crm: { url, token: 'short-lived' } },
    expiresAt: null,
  }
}

/** An event for the target, with this name as its payload and its business key. */
export const eventNamed = (name: string): EventToPublish => ({
  installation: lifecycleRequest().installation,
  resource: LOCATOR,
  propertyKey: 'eventPublisher',
  method: 'changed',
  payload: name,
  idempotencyKey: name,
})

import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { successEnvelope } from '#contract/protocol/envelope.ts'
import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { Garbage, Write } from './script.ts'

/** A response as bytes, before any of it is sent. */
export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
  /** Announce the whole body, send half of it, and cut the connection. */
  isCut?: true
}

export const json = (body: string, status = 200): RawAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body,
})

/** The response of an honest plugin, without the effect. */
export const pretend = (request: LifecycleRequest): JsonObject => ({
  contractVersion: request.contractVersion,
  pluginId: request.pluginId,
  installation: { ...request.installation, bundle: { ...request.installation.bundle } },
  operation: { ...request.operation },
  stage: request.stage,
  executionSequence: request.executionSequence,
  outcome: 'APPLIED',
  resources: {},
})

/** The response with more writes than the SDK would let through. */
export function addWrites(answer: string, writes: readonly Write[], request: LifecycleRequest): string {
  const envelope: unknown = JSON.parse(answer)
  if (!isJsonObject(envelope) || !isJsonObject(envelope['data'])) return answer
  const resources: Record<string, JsonObject> = {}
  for (const { locator = firstLocator(request), property, value, isSensitive, as } of writes) {
    if (locator === undefined) continue
    const properties = (resources[locator] ??= {})
    // Names such as __proto__ must be sent too.
    Object.defineProperty(properties, property, { value: wrap(value, as, isSensitive), enumerable: true })
  }
  return JSON.stringify({ ...envelope, data: { ...envelope['data'], resources } })
}

const firstLocator = (request: LifecycleRequest): string | undefined => Object.keys(request.resources)[0]

function wrap(value: JsonValue, as: Write['as'], isSensitive: boolean): JsonValue {
  if (as === 'bare') return value
  if (as === 'reference') return { '@type': 'ServiceReference', serviceId: value }
  return { '@type': 'Data', value, ...(isSensitive ? { isSensitive } : {}) }
}

const TOO_LARGE_BYTES = 2 * 1024 * 1024
const TOO_DEEP = 50_000

/** One kind of garbage for this call. */
export function garbageFor(garbage: Garbage, request: LifecycleRequest): RawAnswer {
  const data = pretend(request)
  const honest = JSON.stringify(successEnvelope(data))
  const changed = (change: JsonObject): RawAnswer =>
    json(JSON.stringify(successEnvelope({ ...data, ...change })))
  switch (garbage) {
    case 'html':
      return {
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: '<!doctype html><title>Sign in</title><p>Please sign in to go on.</p>',
      }
    case 'empty':
      return json('')
    case 'not-json':
      return json('OK, all done!')
    case 'cut-json':
      return json(honest.slice(0, honest.length / 2))
    case 'cut-body':
      return { ...json(honest), isCut: true }
    case 'too-large':
      return changed({ padding: 'x'.repeat(TOO_LARGE_BYTES) })
    case 'no-envelope':
      return json(JSON.stringify(data))
    case 'wrong-envelope-version':
      return json(JSON.stringify({ ...successEnvelope(data), contractVersion: '2.0.0' }))
    case 'wrong-operation':
      return changed({ operation: { ...request.operation, operationId: 'another-operation' } })
    case 'wrong-plugin':
      return changed({ pluginId: 'another-plugin' })
    case 'wrong-stage':
      return changed({
        stage: request.stage === 'BEFORE_RESOURCES' ? 'AFTER_RESOURCES' : 'BEFORE_RESOURCES',
      })
    case 'wrong-sequence':
      return changed({ executionSequence: request.executionSequence + 1 })
    case 'unknown-outcome':
      return changed({ outcome: 'DONE' })
    case 'bare-values':
      return changed({ resources: { [firstLocator(request) ?? 'none']: { tenantId: 'tenant-1' } } })
    case 'not-applied-with-writes':
      return changed({
        outcome: 'NOT_APPLIED',
        resources: {
          [firstLocator(request) ?? 'none']: { tenantId: { '@type': 'Data', value: 'tenant-1' } },
        },
      })
    case 'deep':
      return json(`{"errorCode":"0","data":${'['.repeat(TOO_DEEP)}${']'.repeat(TOO_DEEP)}}`)
    case 'extra-fields':
      return json(JSON.stringify({ ...successEnvelope(data), traceId: 'abc', servedBy: 'scripted' }))
  }
}

/** Sends the response unchanged. */
export function send(outgoing: ServerResponse, { status, headers, body, isCut }: RawAnswer): void {
  const bytes = Buffer.from(body)
  outgoing.writeHead(status, { ...headers, 'content-length': bytes.length })
  if (isCut !== true) outgoing.end(bytes)
  else outgoing.write(bytes.subarray(0, bytes.length / 2), () => outgoing.destroy())
}

const SLOW_PIECES = 20

/** Sends the response in pieces, spread over `ms`. */
export async function sendSlowly(outgoing: ServerResponse, answer: RawAnswer, ms: number): Promise<void> {
  const bytes = Buffer.from(answer.body)
  outgoing.writeHead(answer.status, { ...answer.headers, 'content-length': bytes.length })
  outgoing.flushHeaders()
  const size = Math.ceil(bytes.length / SLOW_PIECES)
  for (let at = 0; at < bytes.length && !outgoing.destroyed; at += size) {
    await wait(ms / SLOW_PIECES)
    outgoing.write(bytes.subarray(at, at + size))
  }
  outgoing.end()
}

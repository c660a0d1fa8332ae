import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Delivery as Arrived } from '../invariants/evidence.ts'
import { successOf } from '#runtime/operations/testing-plugin.ts'

/** One delivery as it arrived, and what became of it. */
export interface Delivery extends Arrived {
  /** Whether the token names this plugin, operation, stage and sequence, and no actor is told. */
  isAddressed: boolean
}

/** What a plugin that keeps the protocol knows and has made; only the network around it is hostile. */
export class PluginState {
  readonly pluginId: string
  readonly deliveries: Delivery[] = []
  /** Effects by operation and stage; each must be one in the end. */
  readonly effects = new Map<string, number>()
  /** Deliveries that were refused, because a later operation of the installation was seen. */
  stale = 0
  private readonly remembered = new Map<string, JsonObject>()
  private highest = 0

  constructor(pluginId: string) {
    this.pluginId = pluginId
  }

  /** Once for each operation and stage, and never for an operation that a later one has overtaken. */
  act(request: LifecycleRequest, delivery: Delivery): JsonObject {
    const key = keyOf(request)
    if (request.executionSequence < this.highest) {
      this.stale++
      delivery.answered = 'failure'
      const data = { message: 'A later operation was seen.', retryable: false }
      return { contractVersion: '1.0.0', errorCode: 'STALE_SEQUENCE', data }
    }
    this.highest = request.executionSequence
    const known = this.remembered.get(key)
    if (known !== undefined) {
      if (delivery.answered === 'nothing') delivery.answered = 'APPLIED'
      return known
    }
    // what is there under its name already is taken over, not made again
    const isFound = this.effects.has(key)
    if (!isFound) this.effects.set(key, 1)
    delivery.isEffect = !isFound
    delivery.answered = isFound ? 'VERIFIED' : 'APPLIED'
    const written = Object.keys(request.resources).map((locator) => [
      locator,
      { tenantId: { '@type': 'Data', value: tenantOf(request.operation.operationId, request.stage) } },
    ])
    const answer = successOf(request, {
      outcome: isFound ? 'VERIFIED' : 'APPLIED',
      resources: Object.fromEntries(written),
    })
    this.remembered.set(key, answer)
    return answer
  }

  forget(): void {
    this.remembered.clear()
  }
}

/** What a good plugin writes as `tenantId`. */
export const tenantOf = (operationId: string, stage: Stage): string => `tenant of ${operationId} ${stage}`

export const keyOf = ({ operation, stage }: Pick<LifecycleRequest, 'operation' | 'stage'>): string =>
  `${operation.operationId} ${stage}`

export interface Call {
  request: LifecycleRequest
  delivery: Delivery
  response: ServerResponse
}

export interface HostileServer {
  endpoint(name: string): string
  /** Who serves the calls at an endpoint. */
  serve(name: string, state: PluginState, serve: (call: Call) => unknown): void
  close(): Promise<void>
}

/** One real HTTP server for all plugins; each call goes to whom its path names. */
export async function openHostileServer(): Promise<HostileServer> {
  const served = new Map<string, { state: PluginState; serve: (call: Call) => unknown }>()
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('error', () => undefined)
    const body = await readBytes(incoming)
    const at = served.get((incoming.url ?? '').slice(1))
    if (at === undefined) {
      response.destroy()
      return
    }
    const request = LifecycleRequest.parse(JSON.parse(body.toString('utf8')))
    const delivery: Delivery = {
      pluginId: request.pluginId,
      bundleInstallId: request.installation.bundleInstallId,
      operationId: request.operation.operationId,
      stage: request.stage,
      executionSequence: request.executionSequence,
      bodyHash: createHash('sha256').update(body).digest('hex'),
      isEffect: false,
      answered: 'nothing',
      isAddressed: isAddressed(incoming, request, at.state.pluginId),
    }
    at.state.deliveries.push(delivery)
    await at.serve({ request, delivery, response })
  }
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy())
  })
  server.on('connection', (socket) => socket.on('error', () => undefined))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: (name) => `http://127.0.0.1:${port}/${name}`,
    serve: (name, state, serve) => served.set(name, { state, serve }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function isAddressed(incoming: IncomingMessage, request: LifecycleRequest, pluginId: string): boolean {
  const [scheme, token = ''] = (incoming.headers.authorization ?? '').split(' ')
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
  const { aud, sub, stage, executionSequence } = Object(claims) as Record<string, unknown>
  return (
    scheme === 'Bearer' &&
    incoming.headers['x-runtime-actor-assertion'] === undefined &&
    incoming.method === 'POST' &&
    request.pluginId === pluginId &&
    aud === pluginId &&
    sub === request.operation.operationId &&
    stage === request.stage &&
    executionSequence === request.executionSequence
  )
}

async function readBytes(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { wrapData } from '#contract/protocol/data.ts'
import { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import type { Delivery } from '../invariants/evidence.ts'
import { deliveryOf, ProtocolPlugin } from '../protocol-plugin.ts'

export interface CellDelivery extends Delivery {
  /** Whether the token names this plugin, operation, stage and sequence, and the call carries no actor assertion. */
  hasRightToken: boolean
}

/** The plugin of a cell follows the protocol; only its network and its responses are faulty. */
export type CellPlugin = ProtocolPlugin<CellDelivery>

export const createPlugin = (): CellPlugin =>
  new ProtocolPlugin(({ resources, operation, stage }) =>
    Object.fromEntries(
      Object.keys(resources).map((locator) => [
        locator,
        { tenantId: { ...wrapData(tenantOf(operation.operationId, stage)) } },
      ]),
    ),
  )

/** What the plugin writes as `tenantId`. */
export const tenantOf = (operationId: string, stage: Stage): string => `tenant of ${operationId} ${stage}`

export interface Call {
  request: LifecycleRequest
  delivery: CellDelivery
  response: ServerResponse
}

type Serve = (call: Call) => unknown

export interface PluginServer {
  endpoint(pluginId: string): string
  /** Records each call of a plugin, then serves it. */
  serve(pluginId: string, plugin: CellPlugin, serve: Serve): void
  close(): Promise<void>
}

/** One HTTP server for all plugins; the path of a call names the plugin. */
export async function openPluginServer(): Promise<PluginServer> {
  const plugins = new Map<string, { plugin: CellPlugin; serve: Serve }>()
  const receive = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.on('error', () => undefined)
    const body = await readBytes(incoming)
    const pluginId = (incoming.url ?? '').slice(1)
    const called = plugins.get(pluginId)
    if (called === undefined) {
      response.destroy()
      return
    }
    const request = LifecycleRequest.parse(JSON.parse(body.toString('utf8')))
    const hasRightToken = isAddressedTo(pluginId, incoming, request)
    const delivery = { ...deliveryOf(request, body), hasRightToken }
    called.plugin.deliveries.push(delivery)
    await called.serve({ request, delivery, response })
  }
  const server = createServer((incoming, response) => {
    receive(incoming, response).catch(() => response.destroy())
  })
  server.on('connection', (socket) => socket.on('error', () => undefined))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: (pluginId) => `http://127.0.0.1:${port}/${pluginId}`,
    serve: (pluginId, plugin, serve) => plugins.set(pluginId, { plugin, serve }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function isAddressedTo(pluginId: string, incoming: IncomingMessage, request: LifecycleRequest): boolean {
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

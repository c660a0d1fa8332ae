import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonValue } from '#contract/json-schema/json.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import { successOf } from '#runtime/operations/testing-plugin.ts'
import { failsIn, holds, tenantOf, writesTenant } from './work.ts'
import type { Mode } from './state.ts'

/** One server that stands in for the plugins of all runs, each answering as it is told. */
export interface Plugins {
  endpoint(pluginId: string): string
  /** How many of its calls are held now. */
  held(pluginId: string): number
  /** From now on; a call that was held and is held no more is answered so. */
  setMode(pluginId: string, mode: Mode): void
  close(): Promise<void>
}

export async function startPlugins(): Promise<Plugins> {
  const modes = new Map<string, Mode>()
  const held = new Map<string, Set<() => void>>()

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const call = JSON.parse(Buffer.concat(chunks).toString('utf8')) as LifecycleRequest
    const { pluginId } = call
    const mode = () => modes.get(pluginId) ?? 'ok'
    while (holds(mode(), call.stage)) {
      await new Promise<void>((go) => held.set(pluginId, (held.get(pluginId) ?? new Set()).add(go)))
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer(call, mode())))
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: (pluginId) => `http://127.0.0.1:${port}/${pluginId}`,
    held: (pluginId) => held.get(pluginId)?.size ?? 0,
    setMode(pluginId, mode) {
      modes.set(pluginId, mode)
      const waiting = held.get(pluginId) ?? new Set()
      held.delete(pluginId)
      for (const go of waiting) go()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answer(call: LifecycleRequest, mode: Mode): JsonValue {
  const { stage, operation, installation, executionSequence, pluginId } = call
  if (mode === 'unknown') return successOf(call, { outcome: 'UNKNOWN' })
  if (failsIn(mode, stage)) return successOf(call, { outcome: 'FAILED' })
  const name = pluginId.endsWith('-one') ? 'one' : 'two'
  const type = operation.operationType
  const writes = stage === 'AFTER_RESOURCES' && writesTenant({ type, target: operation.targetVersion }, name)
  const locator = `${installation.bundle.environmentKey}/${installation.bundle.bundleId}/MODULE/core`
  const tenant = { '@type': 'Data', value: tenantOf({ sequence: executionSequence }) }
  return successOf(call, {
    outcome: 'APPLIED',
    ...(writes && { resources: { [locator]: { tenant } } }),
  })
}

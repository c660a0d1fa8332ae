import { wrapData } from '#contract/protocol/data.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import { testingPlugin } from '#runtime/testing/plugin.ts'
import type { Reply } from '#runtime/testing/plugin.ts'
import type { Mode } from './state.ts'
import { failsIn, holds, tenantOf, writesTenant } from './work.ts'

/** One server for the plugins of all runs; each responds according to its mode. */
export interface Plugins {
  endpoint(pluginId: string): string
  /** How many calls of the plugin are blocked at present. */
  blockedCalls(pluginId: string): number
  /** Applies to all later calls. Blocked calls that the new mode does not block get its response. */
  setMode(pluginId: string, mode: Mode): void
  close(): Promise<void>
}

export async function startPlugins(): Promise<Plugins> {
  const modes = new Map<string, Mode>()
  const held = new Map<string, Set<() => void>>()
  const server = await testingPlugin()
  server.script(async ({ pluginId, stage, request }) => {
    // the record of the calls is unused, and would grow with every run
    server.calls.length = 0
    const mode = (): Mode => modes.get(pluginId) ?? 'ok'
    while (holds(mode(), stage))
      await new Promise<void>((release) => held.set(pluginId, (held.get(pluginId) ?? new Set()).add(release)))
    return replyTo(request, mode())
  })
  return {
    endpoint: (pluginId) => server.endpoint(pluginId),
    blockedCalls: (pluginId) => held.get(pluginId)?.size ?? 0,
    setMode(pluginId, mode) {
      modes.set(pluginId, mode)
      const waiting = held.get(pluginId) ?? new Set()
      held.delete(pluginId)
      for (const release of waiting) release()
    },
    close: () => server.close(),
  }
}

function replyTo(request: LifecycleRequest, mode: Mode): Reply {
  const { stage, operation, installation, executionSequence, pluginId } = request
  if (mode === 'unknown') return { outcome: 'UNKNOWN' }
  if (failsIn(mode, stage)) return { outcome: 'FAILED' }
  const { operationType: type, targetVersion: target } = operation
  const name = pluginId.endsWith('-one') ? 'one' : 'two'
  if (stage === 'BEFORE_RESOURCES' || !writesTenant({ type, target }, name)) return { outcome: 'APPLIED' }
  const { environmentKey, bundleId } = installation.bundle
  const tenant = wrapData(tenantOf({ sequence: executionSequence }))
  const resources = { [`${environmentKey}/${bundleId}/MODULE/core`]: { tenant: { ...tenant } } }
  return { outcome: 'APPLIED', resources }
}

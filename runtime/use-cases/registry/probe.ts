import type { RuntimeDeps } from '../../deps/runtime-deps.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { requirePlugin } from './plugins.ts'

type Name = 'POST /plugins/{pluginId}/probe'

const TIMEOUT_MS = 3_000
/** A result is returned again for this time, however many people ask for it. */
const FRESH_MS = 10_000
/** Connections that are being opened at the same time; more probes wait. */
const AT_ONCE = 8
/** Remembered endpoints. */
const KNOWN_MAX = 500

interface Probe {
  at: number
  result: Promise<Omit<Answer<Name>, 'pluginId' | 'endpoint'>>
}

/**
 * Returns what probes the endpoint of a plugin: whether a connection can be opened now, by the rules of calls. It never sends
 * anything, so it says nothing about what the plugin would answer. Refuses with NOT_FOUND.
 */
export function createProbe(): (context: ReadContext, input: Input<Name>) => Promise<Answer<Name>> {
  const known = new Map<string, Probe>()
  const open = new Set<Promise<unknown>>()

  async function connect({ http, clock }: RuntimeDeps, endpoint: string) {
    while (open.size >= AT_ONCE) await Promise.race(open)
    const probing = http.probe({ url: endpoint, timeoutMs: TIMEOUT_MS })
    open.add(probing)
    const probed = await probing.finally(() => open.delete(probing))
    const testedAt = clock.now().toISOString()
    return probed.kind === 'reached'
      ? { failure: null, result: 'REACHABLE' as const, testedAt }
      : { failure: probed.reason, result: 'LOST' as const, testedAt }
  }

  return async ({ deps }, { params: { pluginId } }) => {
    const { endpoint } = await requirePlugin(deps.db, pluginId)
    const now = deps.clock.monotonic()
    const last = known.get(endpoint)
    if (last !== undefined && now - last.at < FRESH_MS) return { pluginId, endpoint, ...(await last.result) }
    known.delete(endpoint)
    if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value ?? '')
    const result = connect(deps, endpoint)
    known.set(endpoint, { at: now, result })
    return { pluginId, endpoint, ...(await result) }
  }
}

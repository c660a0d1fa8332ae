import type { ProbeResultName } from '#contract/runtime-api/vocabulary.ts'
import type { OutboundFailure } from '#http-kit/outbound-result.ts'
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
  result: Promise<{ result: ProbeResultName; testedAt: string }>
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
    const result: ProbeResultName = probed.kind === 'reached' ? 'REACHABLE' : NAMES[probed.reason]
    return { result, testedAt: clock.now().toISOString() }
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

/** Of every reason, so that no new one is taken for a lost connection. */
const NAMES: Readonly<Record<OutboundFailure, ProbeResultName>> = {
  refused: 'REFUSED',
  'no-route': 'NO_ROUTE',
  'no-socket': 'NO_SOCKET',
  dns: 'HOST_UNKNOWN',
  timeout: 'TIMEOUT',
  'tls-expired': 'CERTIFICATE_EXPIRED',
  'tls-early': 'CERTIFICATE_EXPIRED',
  'tls-untrusted': 'CERTIFICATE_UNTRUSTED',
  'tls-wrong-name': 'CERTIFICATE_WRONG_NAME',
  tls: 'NOT_SECURE',
  'egress-denied': 'NOT_ALLOWED',
  reset: 'LOST',
  aborted: 'LOST',
  // those of a response, which a probe does not await
  'not-http': 'LOST',
  cut: 'LOST',
  continue: 'LOST',
  upgrade: 'LOST',
  encoding: 'LOST',
  'too-large': 'LOST',
  redirect: 'LOST',
}

import { setTimeout as sleep } from 'node:timers/promises'
import { Hono } from 'hono'
import { READ_ONLY_MESSAGES, whyReadOnly } from '#database/read-only.ts'
import { createProcessGauges } from '#http-kit/metrics.ts'
import type { Metrics } from '#http-kit/metrics.ts'
import { TransportError } from '#http-kit/problem-response.ts'
import { sharedLook } from '#http-kit/shared-look.ts'
import { consoleGauges } from './metrics.ts'
import type { BffDb } from './store/tables.ts'

const TIME_LIMIT_MS = 2_000

/**
 * The endpoints for machines, without a session. None reveals anything about a person. Readiness does not depend on the
 * runtime: without it, the console still says what is wrong.
 */
export function healthRoutes(options: {
  db: BffDb
  metrics: Metrics
  /** Whether `GET /metrics` is served; `direct`: only to who asks without a proxy in between. */
  servesMetrics: boolean | 'direct'
  publicOrigin: string
  state: () => Omit<Parameters<typeof consoleGauges>[0], 'isDatabaseUp'>
  /** What is wrong with the clocks; null if they agree. */
  clockProblem: () => string | null
  isStopping: () => boolean
}): Hono {
  const { db, metrics, servesMetrics, publicOrigin, state, clockProblem, isStopping } = options
  const processGauges = createProcessGauges()
  const readOnlyState = sharedLook(() => whyReadOnly(db, 'bff'))
  const { protocol, host: publicHost } = new URL(publicOrigin)
  const app = new Hono()
  app.get('/healthz', (c) => c.text('ok'))
  app.get('/readyz', async (c) => {
    if (isStopping()) throw notReady('This replica is stopping')
    const problem = await databaseProblem(readOnlyState())
    if (problem !== null) throw notReady(problem)
    const clock = clockProblem()
    // what it signs has the time of the database, so it can work
    return c.json({ status: 'ready', ...(clock !== null && { clock }) })
  })
  app.get('/metrics', async (c) => {
    // a proxy may add no header, but the console works only behind one that keeps the public name, and has no TLS itself
    const isForwarded =
      c.req.header('x-forwarded-for') !== undefined ||
      (protocol === 'https:' && c.req.header('host')?.toLowerCase() === publicHost)
    if (servesMetrics === false || (servesMetrics === 'direct' && isForwarded))
      throw new TransportError('NOT_FOUND')
    const gauges = [
      ...consoleGauges({ ...state(), isDatabaseUp: (await databaseProblem(readOnlyState())) === null }),
      ...processGauges(),
    ]
    return c.text(metrics.render(gauges), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
  })
  return app
}

const UNREACHABLE = 'The database cannot be reached'

/** Why the database accepts no writes; null if it does. No response within two seconds counts as unreachable. */
async function databaseProblem(state: ReturnType<typeof whyReadOnly>): Promise<string | null> {
  const query = state.then((readOnly) => readOnly && READ_ONLY_MESSAGES[readOnly])
  const late = new AbortController()
  const limit = sleep(TIME_LIMIT_MS, UNREACHABLE, { signal: late.signal }).catch(() => UNREACHABLE)
  const problem = await Promise.race([query.catch(() => UNREACHABLE), limit])
  late.abort()
  return problem
}

function notReady(message: string): TransportError {
  return new TransportError('SERVICE_UNAVAILABLE', message, { 'retry-after': '1' })
}

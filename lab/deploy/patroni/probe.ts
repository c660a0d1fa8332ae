import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig } from '#database/settings.ts'
import { register } from '../../verification/actions.ts'
import type { System } from '../../verification/processes/system.ts'
import type { PatroniCluster } from './cluster.ts'

/** Writes again and again, and when the writes were acknowledged. */
export interface Probe {
  /** Milliseconds of `performance.now()`, increasing. */
  acknowledged: readonly number[]
  stop(): Promise<void>
}

const PAUSE_MS = 100

function repeat(attempt: () => Promise<boolean>): Probe {
  const acknowledged: number[] = []
  const stopped = new AbortController()
  const repeating = (async () => {
    while (!stopped.signal.aborted) {
      if (await attempt()) acknowledged.push(performance.now())
      await sleep(PAUSE_MS)
    }
  })()
  return {
    acknowledged,
    async stop() {
      stopped.abort()
      await repeating
    },
  }
}

/** What a plain SQL client sees: each write over a new connection through HAProxy. */
export async function probeDatabase({ connection }: PatroniCluster): Promise<Probe> {
  const attempt = async (statement: string): Promise<boolean> => {
    const client = new pg.Client({
      ...clientConfig(connection),
      connectionTimeoutMillis: 1_000,
      query_timeout: 1_000,
    })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.query(statement)
      return true
    } catch {
      return false
    } finally {
      // without waiting: a cut connection does not end
      void client.end().catch(() => undefined)
    }
  }
  await attempt('create table public.probe (at timestamptz not null)')
  return repeat(() => attempt('insert into public.probe values (clock_timestamp())'))
}

/** What a person sees: each write through the API of a runtime, sent again until one is acknowledged. */
export function probeApi(system: System): Probe {
  const client = system.client({ timeoutMs: 1_000 })
  const limits = { timeoutMs: 1_000, maxAttempts: 1, maxBackoffMs: 200 }
  return repeat(async () => {
    await register(client, 'probe', system.plugins.endpoint('probe'), limits)
    return true
  })
}

/** Which nodes say that they are the primary, asked on their own machines. */
export function watchPrimary({ nodes }: PatroniCluster): {
  /** When a node other than this one was the primary for the first time since then. */
  firstSince(since: number, other: string | null): number | null
  stop(): Promise<void>
} {
  const seen: { at: number; name: string }[] = []
  const stopped = new AbortController()
  const watching = nodes.map(async ({ name, restPort }) => {
    while (!stopped.signal.aborted) {
      const signal = AbortSignal.timeout(500)
      const response = await fetch(`http://127.0.0.1:${restPort}/primary`, { signal }).catch(() => null)
      await response?.body?.cancel()
      if (response?.status === 200) seen.push({ at: performance.now(), name })
      await sleep(PAUSE_MS)
    }
  })
  return {
    firstSince: (since, other) => seen.find(({ at, name }) => at > since && name !== other)?.at ?? null,
    async stop() {
      stopped.abort()
      await Promise.all(watching)
    },
  }
}

/** Shorter ones are not the fault's. */
const SHORTEST_PAUSE_MS = 1_500

/** A time without an acknowledged write. */
export interface Pause {
  /** Milliseconds of `performance.now()`. */
  begin: number
  end: number
}

/** The pauses between two acknowledged writes that ended after `since`, or have not ended. */
export function pausesSince({ acknowledged }: Probe, since: number): Pause[] {
  const before = acknowledged.findLast((at) => at <= since) ?? since
  const times = [before, ...acknowledged.filter((at) => at > since), performance.now()]
  return times
    .slice(1)
    .map((end, index) => ({ begin: times[index] ?? end, end }))
    .filter(({ begin, end }) => end - begin >= SHORTEST_PAUSE_MS)
}

/**
 * How long the API wrote nothing although SQL did: the longest time from the end of the last pause of SQL during a pause
 * of the API, or from the begin of the pause of the API if SQL had none, to the end of the pause of the API.
 */
export function longestLagMs(api: readonly Pause[], sql: readonly Pause[]): number {
  const lags = api.map(({ begin, end }) => {
    const others = sql.filter((one) => one.begin < end && one.end > begin)
    return end - Math.min(end, Math.max(begin, ...others.map((one) => one.end)))
  })
  return Math.max(0, ...lags)
}

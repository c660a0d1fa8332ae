import { setTimeout as sleep } from 'node:timers/promises'

import pg from 'pg'

import { clientConfig, type ConnectionSettings } from './settings.ts'
import { whyUnreachable } from './unreachable.ts'

export type ListenOptions = {
  channels: readonly string[]
  applicationName: string
  onNotify: (channel: string, payload: string) => void
  /** Now listening; earlier notifications may have been missed. */
  onUp: () => void
  /** No longer listening, or not yet; called once per outage, with a reason in our own words. */
  onDown: (reason: string) => void
  /** How often the connection is checked; default 5,000. */
  heartbeatMs?: number
}

export type Listening = {
  isUp: () => boolean
  stop: () => Promise<void>
}

const firstPauseMs = 100
const longestPauseMs = 5_000

/**
 * Listens on a dedicated connection and reconnects when it is lost, for as long as it takes. A silently dead connection
 * is detected by the heartbeat.
 */
export function listen(connection: ConnectionSettings, options: ListenOptions): Listening {
  const stopped = new AbortController()
  let up = false
  let reported = false
  let pause = firstPauseMs

  const rest = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => undefined)

  const once = async (): Promise<never> => {
    const client = new pg.Client({
      ...clientConfig(connection),
      application_name: options.applicationName,
      connectionTimeoutMillis: 10_000,
      query_timeout: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    })
    const lost = new AbortController()
    let why: unknown = new Error('Connection terminated')
    const lose = (error?: unknown) => {
      why = error ?? why
      lost.abort()
    }
    client.on('error', lose)
    client.on('end', () => lose())
    client.on('notification', ({ channel, payload = '' }) => options.onNotify(channel, payload))
    try {
      await client.connect()
      for (const channel of options.channels) await client.query(`listen ${pg.escapeIdentifier(channel)}`)
      ;[up, reported, pause] = [true, false, firstPauseMs]
      options.onUp()
      const over = AbortSignal.any([lost.signal, stopped.signal])
      while (!over.aborted) {
        await rest(options.heartbeatMs ?? 5_000, over)
        if (!over.aborted) await client.query('select 1')
      }
      throw why
    } finally {
      up = false
      // a silent connection would keep us waiting
      await Promise.race([client.end().catch(() => undefined), sleep(1_000, undefined, { ref: false })])
    }
  }

  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const error: unknown = await once().catch((failure: unknown) => failure)
      if (stopped.signal.aborted) return
      if (!reported) options.onDown(whyUnreachable(error).reason)
      reported = true
      // replicas that lost the same server must not reconnect in step
      await rest(pause * (0.5 + Math.random() / 2), stopped.signal)
      pause = Math.min(pause * 2, longestPauseMs)
    }
  }

  const running = run()
  const stop = async (): Promise<void> => {
    stopped.abort()
    await running
  }
  let stopping: Promise<void> | undefined
  return { isUp: () => up, stop: () => (stopping ??= stop()) }
}

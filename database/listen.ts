import { setTimeout as sleep } from 'node:timers/promises'

import pg from 'pg'

import { clientConfig, type ConnectionSettings } from './settings.ts'
import { whyUnreachable } from './unreachable.ts'

export type ListenOptions = {
  channels: readonly string[]
  applicationName: string
  onNotify: (channel: string, payload: string) => void
  /** Listening, from now on: whatever was notified before may have been missed. */
  onUp: () => void
  /** Not listening any more, or not yet; told once until it is up again, with the reason in our words. */
  onDown: (reason: string) => void
  /** How often the connection is asked whether it lives; default 5,000. */
  heartbeatMs?: number
}

export type Listening = {
  isUp: () => boolean
  stop: () => Promise<void>
}

const firstPauseMs = 100
const longestPauseMs = 5_000

/**
 * Listens on a connection of its own, and connects again when that is lost, however long it takes. A connection that
 * died without a word is found by asking it.
 */
export function listen(connection: ConnectionSettings, options: ListenOptions): Listening {
  const stopped = new AbortController()
  let up = false
  let told = false
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
      ;[up, told, pause] = [true, false, firstPauseMs]
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
      if (!told) options.onDown(whyUnreachable(error).reason)
      told = true
      // replicas that lost the same server do not come back in step
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

import { setTimeout as sleep } from 'node:timers/promises'

import pg from 'pg'

import { connectionConfig } from './pool.ts'
import type { DatabaseLog } from './server/log.ts'
import type { ConnectionSettings } from './settings.ts'
import { whyUnreachable, type Unreachable } from './unreachable.ts'

export type ReachOptions = {
  log: DatabaseLog
  /** How long to wait for a database that is down. */
  waitMs: number
  connectTimeoutMs: number
  /** Aborts the wait because the program is stopping. */
  signal?: AbortSignal
}

const firstPauseMs = 250
const longestPauseMs = 5_000

/**
 * Resolves when the database accepts connections and writes. Waits while it is down and logs each reason once; problems
 * that someone must fix (password, name, certificate) are reported immediately. Throws one line, in our own words.
 */
export async function reachDatabase(connection: ConnectionSettings, options: ReachOptions): Promise<void> {
  const { log, waitMs, signal } = options
  const place = placeOf(connection)
  const deadline = performance.now() + waitMs
  let reported = ''
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    const found = await tryOnce(connection, options.connectTimeoutMs)
    if (found === null) {
      if (reported !== '') log.info({}, `the database at ${place} is available now`)
      return
    }
    const left = deadline - performance.now()
    if (!found.isTransient || left <= 0 || signal?.aborted)
      throw new Error(
        `The database at ${place} cannot be used: ${found.reason}. Check the server and the database URL.`,
      )
    if (reported !== found.reason)
      log.warn({}, `waiting for the database at ${place}: ${found.reason} (${Math.ceil(left / 1000)} s left)`)
    reported = found.reason
    await sleep(Math.min(pause, left), undefined, signal ? { signal } : {}).catch(() => undefined)
  }
}

/**
 * Runs a step of a start. If the database goes away during it, waits as for a new connection and repeats the step from
 * its beginning, until `waitMs` have passed since the database first went away; then throws one line, in our own words.
 * Other errors of the step are rethrown.
 */
export async function retryWhileAway<Result>(
  connection: ConnectionSettings,
  options: ReachOptions,
  step: () => Promise<Result>,
): Promise<Result> {
  const { log, signal } = options
  let deadline: number | undefined
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    try {
      return await step()
    } catch (error) {
      // the error of a migration names it and carries the database error as its cause
      const { reason, isTransient } = whyUnreachable(error instanceof Error ? (error.cause ?? error) : error)
      if (!isTransient) throw error
      deadline ??= performance.now() + options.waitMs
      const left = deadline - performance.now()
      if (left <= 0 || signal?.aborted)
        throw new Error(`The database went away during the start: ${reason}.`, { cause: error })
      log.warn({}, `the database went away during the start: ${reason} (${Math.ceil(left / 1000)} s left)`)
      // it may accept connections but still fail the step
      await sleep(Math.min(pause, left), undefined, signal ? { signal } : {}).catch(() => undefined)
      await reachDatabase(connection, { ...options, waitMs: Math.max(0, deadline - performance.now()) })
    }
  }
}

async function tryOnce(
  connection: ConnectionSettings,
  connectTimeoutMs: number,
): Promise<Unreachable | null> {
  // with the same options as the pools: a pooler in between may reject them
  const client = new pg.Client(connectionConfig(connection, { connectTimeoutMs }))
  // lost while closing: nothing to do
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
    return rows[0]?.standby ? { reason: 'it is a standby, which accepts no writes', isTransient: true } : null
  } catch (error) {
    return whyUnreachable(error)
  } finally {
    void client.end().catch(() => {})
  }
}

function placeOf({ host, port, database }: ConnectionSettings): string {
  const at = host.includes(':') ? `[${host}]:${port}` : host.startsWith('/') ? host : `${host}:${port}`
  return `${at} (database "${database}")`
}

import { setTimeout as sleep } from 'node:timers/promises'

import pg from 'pg'

import { connectionConfig } from './pool.ts'
import type { DatabaseLog } from './server/log.ts'
import type { ConnectionSettings } from './settings.ts'
import { whyUnreachable, type Unreachable } from './unreachable.ts'

export type ReachOptions = {
  log: DatabaseLog
  /** How long a database that is away is waited for. */
  waitMs: number
  connectTimeoutMs: number
  /** Ends the waiting: the program is to stop. */
  signal?: AbortSignal
}

const firstPauseMs = 250
const longestPauseMs = 5_000

/**
 * Resolves when the database takes connections and writes. One that is away is waited for, told once for each reason;
 * what somebody has to change (password, name, certificate) is refused at once. Throws one line, in our words.
 */
export async function reachDatabase(connection: ConnectionSettings, options: ReachOptions): Promise<void> {
  const { log, waitMs, signal } = options
  const place = placeOf(connection)
  const deadline = performance.now() + waitMs
  let told = ''
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    const found = await tryOnce(connection, options.connectTimeoutMs)
    if (found === null) {
      if (told !== '') log.info({}, `the database at ${place} is there now`)
      return
    }
    const left = deadline - performance.now()
    if (!found.mayPass || left <= 0 || signal?.aborted)
      throw new Error(`The database at ${place} cannot be used: ${found.reason}.`)
    if (told !== found.reason)
      log.warn({}, `waiting for the database at ${place}: ${found.reason} (${Math.ceil(left / 1000)} s left)`)
    told = found.reason
    await sleep(Math.min(pause, left), undefined, signal ? { signal } : {}).catch(() => undefined)
  }
}

/**
 * Does a step of a start. Where the database goes away amid it, that is waited for as at first and the step done again from
 * its beginning, until `waitMs` have passed since it first went; then throws one line, in our words. What else the step
 * throws is thrown as it is.
 */
export async function outlast<Result>(
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
      // a migration tells which one it is, and of the database in its cause
      const { reason, mayPass } = whyUnreachable(error instanceof Error ? (error.cause ?? error) : error)
      if (!mayPass) throw error
      deadline ??= performance.now() + options.waitMs
      const left = deadline - performance.now()
      if (left <= 0 || signal?.aborted)
        throw new Error(`The database went away amid the start: ${reason}.`, { cause: error })
      log.warn({}, `the database went away amid the start: ${reason} (${Math.ceil(left / 1000)} s left)`)
      // it may take connections and yet not let the step through
      await sleep(Math.min(pause, left), undefined, signal ? { signal } : {}).catch(() => undefined)
      await reachDatabase(connection, { ...options, waitMs: Math.max(0, deadline - performance.now()) })
    }
  }
}

async function tryOnce(
  connection: ConnectionSettings,
  connectTimeoutMs: number,
): Promise<Unreachable | null> {
  // as the pools will do it: a pooler in between may not take what they ask for
  const client = new pg.Client(connectionConfig(connection, { connectTimeoutMs }))
  // lost while we say goodbye: nothing to do
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
    return rows[0]?.standby ? { reason: 'it is a standby, which takes no writes', mayPass: true } : null
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

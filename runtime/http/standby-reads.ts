import { sql } from 'kysely'
import pg from 'pg'
import type { RuntimeApi } from '#contract/runtime-api/rows.ts'
import type { Trouble } from '#contract/runtime-api/troubles.ts'
import { openDatabase } from '#database/pool.ts'
import type { PoolOptions } from '#database/pool.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { readTogether } from '#database/read-together.ts'
import { discardIdle } from '#database/transaction.ts'
import type { Clock } from '#http-kit/clock.ts'
import type { Gauge, Metrics } from '#http-kit/metrics.ts'
import type { Log } from '#http-kit/log.ts'
import { DomainError } from '../engine/refusals.ts'
import type { Db } from '../model/db.ts'
import type { RuntimeTables } from '../model/tables.ts'
import { readPrimaryPosition, readStandbyState } from '../store/standby.ts'
import type { PrimaryPosition } from '../store/standby.ts'

/** Lists, searches, counts, the audit and the overview: reads that many people repeat, and that write nothing. */
export const STANDBY_READS: ReadonlySet<keyof RuntimeApi> = new Set<keyof RuntimeApi>([
  'GET /summary',
  'GET /scopes',
  'GET /installations',
  'GET /installed-versions',
  'GET /installed-versions/scopes',
  'GET /installed-properties',
  'GET /properties',
  'GET /operations',
  'GET /operations/counts',
  'GET /operations/total',
  'GET /causes',
  'GET /causes/hours',
  'GET /batches',
  'GET /batches/{batchId}/items',
  'GET /change-requests',
  'GET /change-requests/waiting',
  'GET /calendar',
  'GET /bundles',
  'GET /bundles/{environmentKey}/{bundleId}/versions',
  'GET /plugins',
  'GET /plugins/{pluginId}/calls',
  'GET /plugins/{pluginId}/health',
  'GET /services',
  'GET /services/{serviceId}/referrers',
  'GET /webhooks',
  'GET /webhooks/{webhookId}/deliveries',
  'GET /audit',
])

/** How long a read waits for the standby before it asks the primary. */
const STANDBY_WAIT_MS = 100
const POLL_MS = [2, 4, 8, 16, 32, 64]
/** Then one read tries the standby again, and the others follow if it works. */
const PAUSE_MS = 1_000
const CONNECT_MS = 1_000
/** How long a read on the standby may take before it is asked whether it answers at all, again and again. */
const SILENT_MS = 5_000
/** How long that may take with a new connection, while it is busy: with SILENT_MS, about half of what a console waits. */
const ASK_MS = 3_000
/** Reads that wait for the position of the primary share one statement. */
const TOGETHER = { concurrency: 2, most: 10_000, intervalMs: 1 }

/** Why the primary answered. */
type Why = 'behind' | 'away' | 'not_standby' | 'recovering'
const SILENT: { why: Why } = { why: 'away' }

export interface StandbyReads {
  /** Reads from the standby if it has everything that was committed before this call, and otherwise from the primary. */
  read<Result>(run: (db: Db) => Promise<Result>): Promise<Result>
  /** Tells when no read was served by the standby for a while. */
  troubles(): Trouble[]
  gauges(): Gauge[]
  /** For the metrics of connections. */
  pools: { reads: pg.Pool }
  close(): Promise<void>
}

/**
 * Chooses for each read between primary and standby. The read asks the primary for its position, which costs it a
 * hundredth of a list, and then runs on one connection to a standby that has reached this position: so it is as fresh
 * as one from the primary, no matter who wrote through which replica. Whatever goes wrong on the standby, the primary
 * answers.
 */
export function openStandbyReads(
  connection: ConnectionSettings,
  options: {
    /** Of the connections to the standby. */
    pool: PoolOptions
    primary: Db
    clock: Clock
    log: Log
    metrics: Metrics
    /** How long the standby serves no reads before that is a trouble; default 30,000. */
    troubleMs?: number | undefined
  },
): StandbyReads {
  const { pool, primary, clock, log, metrics, troubleMs = 30_000 } = options
  const reading: PoolOptions = {
    ...pool,
    // the primary answers as soon as the standby does not
    connectTimeoutMs: Math.min(CONNECT_MS, pool.connectTimeoutMs ?? CONNECT_MS),
    applicationName: 'bundle-runtime-reads',
  }
  const standby = openDatabase<RuntimeTables>(connection, reading)
  let unusedSince: Date | null = null
  let triesAgainAt = -Infinity

  const position = readTogether<null, PrimaryPosition>({
    read: async () => new Map([['', await readPrimaryPosition(primary)]]),
    identify: () => '',
    ...TOGETHER,
  })

  const note = (why: Why | null, error?: unknown): void => {
    metrics.count('bundle_runtime_standby_reads_total', { result: why ?? 'served' })
    if (why === null) {
      if (unusedSince !== null)
        log.info('the standby serves reads again', { since: unusedSince.toISOString() })
      unusedSince = null
      return
    }
    triesAgainAt = clock.monotonic() + PAUSE_MS
    if (unusedSince === null) log.warn('the primary serves reads instead of the standby', { why }, error)
    unusedSince ??= clock.now()
  }

  /** Whether the connection leads to a standby that has reached the position; waits a little for it. */
  const wait = async (db: Db, wanted: PrimaryPosition): Promise<Why | null> => {
    const deadline = clock.monotonic() + STANDBY_WAIT_MS
    for (const pauseMs of [...POLL_MS, ...POLL_MS]) {
      const { isStandby, hasReached } = await readStandbyState(db, wanted)
      if (!isStandby) return 'not_standby'
      if (hasReached) return null
      if (clock.monotonic() + pauseMs > deadline) return 'behind'
      await clock.sleep(pauseMs)
    }
    return 'behind'
  }

  const readStandby = async <Result>(
    run: (db: Db) => Promise<Result>,
  ): Promise<{ result: Result } | { why: Why }> => {
    const wanted = await position(null)
    if (wanted?.isSame !== true) return { why: 'recovering' }
    // on one connection: another one may lead to another standby
    return standby.db.connection().execute(async (db) => {
      const why = await wait(db, wanted)
      return why === null ? { result: await run(db) } : { why }
    })
  }

  /**
   * Whether it answers nothing, like a machine that is paused, or a network that drops everything: neither fails. Asks on a
   * connection of its own, as slow reads may hold those of the pool.
   */
  const isSilent = async (): Promise<boolean> => {
    const own = openDatabase<RuntimeTables>(connection, { ...reading, max: 1, connectTimeoutMs: ASK_MS })
    const answer = sql`select 1`.execute(own.db).then(
      () => false,
      // it may have no connection left
      (error) => !(error instanceof pg.DatabaseError),
    )
    const isIt = await Promise.race([answer, clock.sleep(ASK_MS).then(() => true)])
    void own.close()
    return isIt
  }

  const silence = async (signal: AbortSignal): Promise<typeof SILENT> => {
    do await clock.sleep(SILENT_MS, signal)
    while (!(await isSilent()))
    return SILENT
  }

  return {
    async read(run) {
      if (clock.monotonic() < triesAgainAt) {
        metrics.count('bundle_runtime_standby_reads_total', { result: 'paused' })
        return run(primary)
      }
      if (unusedSince !== null) triesAgainAt = clock.monotonic() + PAUSE_MS
      const waiting = new AbortController()
      try {
        const answer = readStandby(run)
        const read = await Promise.race([answer, silence(waiting.signal)])
        if ('result' in read) {
          triesAgainAt = -Infinity
          note(null)
          return read.result
        }
        note(read.why)
        // it was promoted: a new connection may find a standby
        if (read.why === 'not_standby') discardIdle(standby.pool)
      } catch (error) {
        if (error instanceof DomainError) throw error
        note('away', error)
      } finally {
        waiting.abort()
      }
      return run(primary)
    },
    troubles: () =>
      unusedSince !== null && clock.now().getTime() - unusedSince.getTime() > troubleMs
        ? [{ kind: 'STANDBY_UNUSED', since: unusedSince.toISOString() }]
        : [],
    pools: { reads: standby.pool },
    close: () => standby.close(),
    gauges: () => [{ name: 'bundle_runtime_standby_used', labels: {}, value: Number(unusedSince === null) }],
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig } from '#database/settings.ts'
import { superviseReplicas } from '../../verification/processes/chaos.ts'
import { startOwnDatabase } from '../../verification/processes/database.ts'
import type { OwnDatabase } from '../../verification/processes/database.ts'
import { PLUGIN_FAULTS, runLoad } from '../../verification/processes/load.ts'
import { createSystem } from '../../verification/processes/system.ts'
import { SeededRandom } from '../../verification/seeded-random.ts'
import type { Suite, SuiteReport, Violation } from '../../verification/suite.ts'
import { findPrograms } from '../debian-programs.ts'
import type { Programs } from '../debian-programs.ts'
import { MODES, poolerVersion, startPooler } from './pooler.ts'
import type { Pooler, PoolMode } from './pooler.ts'
import { trySessions } from './sessions.ts'

const SIZES = {
  quick: { operations: 200, users: 12 },
  full: { operations: 5_000, users: 48 },
} as const
const LEASE_SECONDS = 3
const BETWEEN_CRASHES_MS = [3_000, 8_000] as const
const DOWN_MS = [200, 2_000] as const

/** The same load in both modes, while PgBouncer and the database crash. */
export const PGBOUNCER: Suite = {
  name: 'pgbouncer',
  title:
    'two replicas under load through PgBouncer in session and in transaction mode, while it and the database crash',
  async run({ size, seed, count }) {
    const programs = findPrograms({ packages: ['pgbouncer'], programs: ['pgbouncer'] })
    if (typeof programs === 'string') return { skipped: programs, lines: [], trials: {}, violations: [] }
    try {
      const report: SuiteReport = { lines: tableHead(programs), trials: {}, violations: [] }
      report.violations.push(...(await trySessions(programs)))
      for (const mode of MODES) {
        const sizes = { ...SIZES[size], ...(count !== null && { operations: count }) }
        const { row, operations, violations } = await tryMode({ programs, mode, seed: seed ?? 1, sizes })
        report.lines.push(row)
        report.trials = { 'operations through PgBouncer': operations + sum(report.trials) }
        report.violations.push(...violations)
      }
      return report
    } finally {
      programs.remove()
    }
  },
}

const sum = (trials: Record<string, number>): number =>
  Object.values(trials).reduce((one, more) => one + more, 0)

interface Trial {
  programs: Programs
  mode: PoolMode
  seed: number
  sizes: { operations: number; users: number }
}

async function tryMode({ programs, mode, seed, sizes }: Trial) {
  const started = performance.now()
  const random = new SeededRandom(seed)
  const database = await startOwnDatabase()
  try {
    await setLimitsForRole(database)
    const pooler = await startPooler({ programs, database: database.connection, mode })
    const system = await createSystem({
      databaseUrl: pooler.url,
      replicas: 2,
      leaseSeconds: LEASE_SECONDS,
      seed,
      faults: PLUGIN_FAULTS,
      maxDelayMs: 20,
      // in session mode nothing bypasses PgBouncer: it also listens and migrates
      hooks: () => (mode === 'transaction' ? { env: { DATABASE_DIRECT_URL: database.url } } : {}),
    })
    try {
      const crashes = { pooler: 0, database: 0 }
      const unexpectedExits: string[] = []
      const load = await runLoad({
        system,
        connection: database.connection,
        random: random.split(),
        users: sizes.users,
        shouldContinue: (operations) => operations < sizes.operations,
        startFaults() {
          const supervisor = superviseReplicas(system.replicas, { unexpectedExits })
          const crashing = startCrashes({ pooler, database, random: random.split(), crashes })
          return {
            async stop() {
              await crashing.stop().finally(() => supervisor.stop())
            },
          }
        },
      })
      const violations: Violation[] = [
        ...load.violations,
        ...unexpectedExits.map((seen) => ({ promise: 'a replica stays up', seen })),
      ].map((violation) => ({ ...violation, promise: `${violation.promise} (${mode} mode)`, seed }))
      return {
        operations: load.operations,
        violations,
        row: tableRow([
          mode,
          load.operations.toLocaleString('en'),
          `${Math.round((performance.now() - started) / 1_000)} s`,
          crashes.pooler,
          crashes.database,
          violations.length,
        ]),
      }
    } finally {
      await system.stop()
      await pooler.stop()
    }
  } finally {
    await database.stop()
  }
}

interface Crashes {
  pooler: Pooler
  database: OwnDatabase
  random: SeededRandom
  /** How many there were so far. */
  crashes: { pooler: number; database: number }
}

/** From now on PgBouncer or the server behind it crashes every few seconds. */
function startCrashes({ pooler, database, random, crashes }: Crashes): { stop(): Promise<void> } {
  const stopped = new AbortController()
  const { signal } = stopped
  const crashing = (async () => {
    while (!signal.aborted) {
      await sleep(random.integer(...BETWEEN_CRASHES_MS), undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      const which = random.pick(['pooler', 'database'] as const)
      await { pooler, database }[which].crash(random.integer(...DOWN_MS))
      crashes[which]++
    }
  })()
  // reported by `stop`
  crashing.catch(() => undefined)
  return {
    stop() {
      stopped.abort()
      return crashing
    },
  }
}

/** PgBouncer drops the limits that the programs request, so the role has them. docs/operating/postgresql.md says this. */
async function setLimitsForRole({ connection }: OwnDatabase): Promise<void> {
  const client = new pg.Client(clientConfig(connection))
  await client.connect()
  const role = pg.escapeIdentifier(connection.user)
  for (const [name, value] of [
    ['statement_timeout', '15s'],
    ['lock_timeout', '5s'],
    ['idle_in_transaction_session_timeout', '10s'],
  ])
    await client.query(`alter role ${role} set ${name} = '${value}'`)
  await client.end()
}

const tableRow = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`

function tableHead(programs: Programs): string[] {
  const columns = [
    `mode (PgBouncer ${poolerVersion(programs)})`,
    'operations',
    'time',
    'crashes of PgBouncer',
    'of the database',
    'violations',
  ]
  return [tableRow(columns), tableRow(columns.map(() => '---'))]
}

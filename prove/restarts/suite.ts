import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig } from '#database/settings.ts'
import { checkCanary } from '../invariants/canaries.ts'
import { checkInvariants } from '../invariants/check-invariants.ts'
import { installJournal } from '../invariants/journal.ts'
import { CANARY } from '../processes/bundles.ts'
import type { Caller } from '../processes/caller.ts'
import { startChaos } from '../processes/chaos.ts'
import { startOwnDatabase } from '../processes/database.ts'
import type { OwnDatabase } from '../processes/database.ts'
import { evidenceOf } from '../processes/evidence.ts'
import { workAsPerson } from '../processes/person.ts'
import type { Faults } from '../processes/plugins.ts'
import { scopesOf } from '../processes/scopes.ts'
import { createSystem, CREDENTIAL } from '../processes/system.ts'
import { startWatcher } from '../processes/watcher.ts'
import { checkWatcher } from '../processes/watched.ts'
import type { Suite, SuiteReport, Violation } from '../suite.ts'
import { SeededRandom } from '../seeded-random.ts'

const SIZES = {
  quick: { operations: 150, crashes: 5, people: 24 },
  full: { operations: 5_000, crashes: 60, people: 48 },
} as const
const LEASE_SECONDS = 3
/** After the chaos, everything must have come to its end within this. */
const BOUND_MS = 90_000
const FAULTS: Faults = {
  retryable: 0.03,
  definite: 0.01,
  unavailable: 0.02,
  'reset-before': 0.02,
  'reset-after': 0.03,
  hang: 0.01,
  late: 0.01,
}

/** S8: what "can be killed" means. Two replicas, one PostgreSQL, people at work, and nothing that stays up. */
export const RESTARTS: Suite = {
  name: 'restarts',
  title: 'two replicas under load while the database, replicas and plugins fall over',
  async run({ size, seed }) {
    const database = await startOwnDatabase()
    try {
      return await runOnce(database, seed ?? 1, SIZES[size])
    } finally {
      await database.stop()
    }
  },
}

async function runOnce(
  database: OwnDatabase,
  seed: number,
  sizes: (typeof SIZES)[keyof typeof SIZES],
): Promise<SuiteReport> {
  const started = performance.now()
  const random = new SeededRandom(seed)
  const system = await createSystem({
    databaseUrl: database.url,
    replicas: 2,
    leaseSeconds: LEASE_SECONDS,
    seed,
    faults: FAULTS,
    maxDelayMs: 20,
  })
  try {
    for (const replica of system.replicas) replica.start()
    await Promise.all([system.plugins.start(), ...system.replicas.map((replica) => replica.ready())])
    const journal = await connect(database)
    await installJournal(journal)
    await journal.end()
    await system.furnish(system.caller())
    const watcher = startWatcher({
      ...system,
      bases: system.replicas.map(({ apiBase }) => apiBase),
      credential: CREDENTIAL,
    })

    const chaos = startChaos({ ...system, database, random: random.split(), leaseSeconds: LEASE_SECONDS })
    let begun = 0
    const callers: Caller[] = []
    const people = Array.from({ length: sizes.people }, (_, index) => {
      const own = random.split()
      const echo = random.split()
      const caller = system.caller({ echoes: () => echo.chance(0.1) })
      callers.push(caller)
      return workAsPerson({
        caller,
        random: own,
        // each bundle is installed once in a scope
        scope: { environmentKey: 'prod', applicationRuntimeId: 'chaos', workspaceId: index + 1 },
        settled: watcher.operation,
        goesOn: () => begun < sizes.operations || chaos.harm.databaseCrashes < sizes.crashes,
        began: () => begun++,
      })
    })
    try {
      await Promise.all(people).finally(() => chaos.stop())
    } catch (error) {
      await watcher.stop()
      throw error
    }

    const reader = await connect(database)
    const settledMs = await untilQuiet(reader)
    await sleep(500)
    await watcher.stop()
    const evidence = evidenceOf(callers, system.ledgerFolder, await scopesOf(reader))
    const violations: Violation[] = [
      ...(await checkInvariants(reader, evidence)),
      ...(await checkCanary(reader, CANARY)),
      ...(await checkWatcher(reader, watcher)),
      ...chaos.harm.ended.map((seen) => ({ promise: 'a replica stays up', seen })),
    ]
    const figures = await readFigures(reader)
    await reader.end()

    const { harm } = chaos
    const repeats = callers.reduce((sum, caller) => sum + caller.repeats(), 0)
    const seconds = Math.round((performance.now() - started) / 1_000)
    return {
      tried: [
        `${figures.operations} operations (${figures.states}) in ${seconds} s, seed ${seed}`,
        `${harm.databaseCrashes} crashes of the database, ${harm.kills} SIGKILLs and ${harm.pauses} SIGSTOPs of ` +
          `replicas, ${harm.pluginKills} SIGKILLs of the plugins`,
        `${figures.attempts} attempts of ${figures.calls} calls, ${figures.late} answers too late, ` +
          `${evidence.deliveries.filter(({ isEffect }) => isEffect).length} effects of ${evidence.deliveries.length} deliveries`,
        `${evidence.writes.length} writes acknowledged, ${repeats} times sent again before an answer came`,
        `${watcher.newest.size} objects watched over ${watcher.connections()} connections; ` +
          `quiet ${(settledMs / 1_000).toFixed(1)} s after the last blow`,
      ],
      passed: violations.length === 0 ? 1 : 0,
      failed: violations.length === 0 ? 0 : 1,
      violations: violations.map((violation) => ({ ...violation, seed })),
    }
  } finally {
    await system.stop()
  }
}

async function connect(database: OwnDatabase): Promise<pg.Client> {
  const client = new pg.Client(clientConfig(database.connection))
  await client.connect()
  return client
}

/** Until nothing is due or under way any more, or the bound has passed; what is left then is a violation of I10. */
async function untilQuiet(reader: pg.Client): Promise<number> {
  const since = performance.now()
  for (;;) {
    const { rows } = await reader.query(
      `select from runtime.operation where state in ('PENDING', 'RUNNING', 'WAITING') limit 1`,
    )
    const passed = performance.now() - since
    if (rows.length === 0 || passed > BOUND_MS) return passed
    await sleep(100)
  }
}

async function readFigures(reader: pg.Client) {
  const { rows } = await reader.query<
    Record<'operations' | 'states' | 'attempts' | 'calls' | 'late', string>
  >(`
    select (select count(*) from runtime.operation) as operations,
      (select string_agg(state || ' ' || n, ', ' order by n desc)
        from (select state, count(*) as n from runtime.operation group by state) by_state) as states,
      (select count(*) from runtime.attempt) as attempts,
      (select count(*) from runtime.plugin_call where attempts > 0) as calls,
      (select count(*) from runtime.attempt where late) as late`)
  const [figures] = rows
  if (figures === undefined) throw new Error('a select without a row')
  return figures
}

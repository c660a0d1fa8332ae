import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig } from '#database/settings.ts'
import { CANARY } from '../bundles.ts'
import { checkCanary } from '../invariants/canaries.ts'
import { checkInvariants } from '../invariants/check-invariants.ts'
import { installJournal } from '../invariants/journal.ts'
import { startChaos } from '../processes/chaos.ts'
import { startOwnDatabase } from '../processes/database.ts'
import type { OwnDatabase } from '../processes/database.ts'
import { EventWatcher } from '../processes/event-watcher.ts'
import { evidenceOf } from '../processes/evidence.ts'
import type { Faults } from '../processes/plugin-process.ts'
import type { RetryingClient } from '../processes/retrying-client.ts'
import { createSystem } from '../processes/system.ts'
import { runUser } from '../processes/user.ts'
import { SeededRandom } from '../seeded-random.ts'
import type { Suite, SuiteReport, Violation } from '../suite.ts'

const SIZES = {
  quick: { operations: 120, crashes: 4, users: 24 },
  full: { operations: 5_000, crashes: 60, users: 48 },
} as const
const LEASE_SECONDS = 3
/** The time limit within which everything must end after the chaos. */
const BOUND_MS = 90_000
const FAULTS: Faults = {
  retryable: 0.03,
  permanent: 0.01,
  unavailable: 0.02,
  'reset-before': 0.02,
  'reset-after': 0.03,
  hang: 0.01,
  late: 0.01,
}

/** Two replicas, one PostgreSQL and active users, while every process is repeatedly killed or paused. */
export const RESTARTS: Suite = {
  name: 'restarts',
  title: 'two replicas under load while the database, replicas and plugins crash',
  async run({ size, seed }) {
    const database = await startOwnDatabase()
    try {
      return await runChaos(database, seed ?? 1, SIZES[size])
    } finally {
      await database.stop()
    }
  },
}

async function runChaos(
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
    const owner = await connect(database)
    await installJournal(owner)
    await owner.end()
    await system.registerAndPublish(system.client())
    const watcher = new EventWatcher(system)
    const chaos = startChaos({ ...system, database, random: random.split(), leaseSeconds: LEASE_SECONDS })
    const { counts } = chaos
    let operations = 0
    const clients: RetryingClient[] = []
    const users = Array.from({ length: sizes.users }, (_, index) => {
      const own = random.split()
      const twice = random.split()
      const client = system.client({ isSentTwice: () => twice.chance(0.1) })
      clients.push(client)
      return runUser({
        client,
        random: own,
        // a bundle is installed only once in a scope
        scope: { environmentKey: 'prod', applicationRuntimeId: 'chaos', workspaceId: index + 1 },
        watch: (...of) => watcher.operation(...of),
        shouldContinue: () => operations < sizes.operations || counts.databaseCrashes < sizes.crashes,
        onStarted: () => operations++,
      })
    })
    try {
      await Promise.all(users).finally(() => chaos.stop())
    } catch (error) {
      await watcher.stop()
      throw error
    }

    const reader = await connect(database)
    const quietMs = await untilQuiet(reader)
    await sleep(500)
    await watcher.stop()
    const { deliveries, ...evidence } = await evidenceOf(reader, clients, system.plugins.folder)
    const violations: Violation[] = [
      ...(await checkInvariants(reader, { ...evidence, deliveries })),
      ...(await checkCanary(reader, CANARY)),
      ...(await watcher.check(reader)),
      ...counts.unexpectedExits.map((seen) => ({ promise: 'a replica stays up', seen })),
    ]
    const figures = await readFigures(reader)
    await reader.end()

    const repeats = clients.reduce((sum, client) => sum + client.repeats(), 0)
    const effects = deliveries.filter(({ isEffect }) => isEffect).length
    const seconds = Math.round((performance.now() - started) / 1_000)
    return {
      lines: [
        `${figures.operations} operations (${figures.states}) in ${seconds} s, seed ${seed}`,
        `${counts.databaseCrashes} crashes of the database, ${counts.kills} SIGKILLs and ${counts.pauses} SIGSTOPs ` +
          `of replicas, ${counts.pluginKills} SIGKILLs of the plugins`,
        `${figures.attempts} attempts of ${figures.calls} calls, ${figures.late} late answers, ` +
          `${effects} effects of ${deliveries.length} deliveries`,
        `${evidence.writes.length} acknowledged writes, sent ${repeats} times more before an answer arrived`,
        `${watcher.newest.size} objects watched over ${watcher.connections} connections; ` +
          `everything had ended ${(quietMs / 1_000).toFixed(1)} s after the chaos`,
      ],
      trials: { 'operations under chaos': Number(figures.operations) },
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

/** Waits until no operation has work to do, or the limit has passed; what is left then violates I10. */
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
  if (figures === undefined) throw new Error('the statement returned no row')
  return figures
}

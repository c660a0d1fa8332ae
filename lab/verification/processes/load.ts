import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { CANARY } from '../bundles.ts'
import { checkCanary } from '../invariants/canaries.ts'
import { checkInvariants } from '../invariants/check-invariants.ts'
import { installJournal } from '../invariants/journal.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { Violation } from '../suite.ts'
import { EventWatcher } from './event-watcher.ts'
import { evidenceOf } from './evidence.ts'
import type { Faults } from './plugin-process.ts'
import type { RetryingClient, RetryingClientOptions } from './retrying-client.ts'
import type { System } from './system.ts'
import { runUser } from './user.ts'

/** How often the plugins of a load fail, and in which way. */
export const PLUGIN_FAULTS: Faults = {
  retryable: 0.03,
  permanent: 0.01,
  unavailable: 0.02,
  'reset-before': 0.02,
  'reset-after': 0.03,
  hang: 0.01,
  late: 0.01,
}

/** The time limit within which everything must end after the faults. */
const BOUND_MS = 90_000

const MAX_CONNECTS = 30

export interface LoadOptions {
  /** Nothing of it runs yet. */
  system: System
  /** For the checks: the database without anything in between that is under test. */
  connection: ConnectionSettings
  random: SeededRandom
  users: number
  /** Whether users start something new after this many operations. */
  shouldContinue(operations: number): boolean
  /** Of each user. */
  client?: Partial<Pick<RetryingClientOptions, 'isReady' | 'timeoutMs'>>
  /** Whether the database may go back in time, so that events are deleted. */
  mayGoBack?: boolean
  /** Starts the faults, once the system is ready for users. */
  startFaults(): { stop(): Promise<void> }
}

export interface LoadReport {
  /** As in the table of operations, which has the ones of retries only once. */
  operations: number
  /** `SUCCEEDED 118, TAKEN_OVER 2` */
  states: string
  /** What was tried, with its figures, one line each. */
  lines: string[]
  /** Requests to which a replica gave no response. */
  unanswered: string[]
  violations: Violation[]
}

/** Users of a whole system under faults, from its start until everything has ended; then all promises are checked. */
export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const { system, connection, random } = options
  for (const replica of system.replicas) replica.start()
  await Promise.all([system.plugins.start(), ...system.replicas.map((replica) => replica.ready())])
  const owner = await connect(connection)
  await installJournal(owner)
  await owner.end()
  await system.registerAndPublish(system.client())
  const watcher = new EventWatcher(system)
  const faults = options.startFaults()
  let started = 0
  const clients: RetryingClient[] = []
  const users = Array.from({ length: options.users }, (_, index) => {
    const ofUser = random.split()
    const twice = random.split()
    const client = system.client({
      isSentTwice: () => twice.chance(0.1),
      ...options.client,
    })
    clients.push(client)
    return runUser({
      client,
      random: ofUser,
      // a bundle is installed only once in a scope
      scope: { environmentKey: 'prod', applicationRuntimeId: 'load', workspaceId: index + 1 },
      watch: (...of) => watcher.operation(...of),
      shouldContinue: () => options.shouldContinue(started),
      onStarted: () => started++,
    })
  })
  try {
    await Promise.all(users).finally(() => faults.stop())
  } catch (error) {
    await watcher.stop()
    throw error
  }

  const reader = await connect(connection)
  const quietMs = await untilQuiet(reader)
  await sleep(500)
  await watcher.stop()
  const { deliveries, ...evidence } = await evidenceOf(reader, clients, system.plugins.folder)
  const violations: Violation[] = [
    ...(await checkInvariants(reader, { ...evidence, deliveries })),
    ...(await checkCanary(reader, CANARY)),
    ...(await watcher.check(reader, { mayReset: options.mayGoBack ?? false })),
  ]
  const figures = await readFigures(reader)
  await reader.end()

  const repeats = clients.reduce((sum, client) => sum + client.repeats(), 0)
  const effects = deliveries.filter(({ isEffect }) => isEffect).length
  return {
    operations: Number(figures.operations),
    states: figures.states,
    lines: [
      `${figures.attempts} attempts of ${figures.calls} calls, ${figures.late} late answers, ` +
        `${effects} effects of ${deliveries.length} deliveries`,
      `${evidence.writes.length} acknowledged writes, sent ${repeats} times more before an answer arrived`,
      `${watcher.newest.size} objects watched over ${watcher.connections} connections; ` +
        `everything had ended ${(quietMs / 1_000).toFixed(1)} s after the faults`,
    ],
    unanswered: clients.flatMap((client) => client.unanswered),
    violations,
  }
}

/** Again, because a proxy in front of the database may not have noticed yet that the faults have ended. */
async function connect(connection: ConnectionSettings): Promise<pg.Client> {
  for (let tries = 1; ; tries++) {
    const client = new pg.Client(clientConfig(connection))
    // a statement reports a connection that is lost
    client.on('error', () => undefined)
    try {
      await client.connect()
      return client
    } catch (error) {
      if (tries === MAX_CONNECTS) throw error
      await sleep(1_000)
    }
  }
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

import { startChaos } from '../processes/chaos.ts'
import type { Chaos } from '../processes/chaos.ts'
import { startOwnDatabase } from '../processes/database.ts'
import type { OwnDatabase } from '../processes/database.ts'
import { PLUGIN_FAULTS, runLoad } from '../processes/load.ts'
import { createSystem } from '../processes/system.ts'
import { SeededRandom } from '../seeded-random.ts'
import type { Suite, SuiteReport } from '../suite.ts'

const SIZES = {
  quick: { operations: 80, crashes: 4, users: 24 },
  full: { operations: 5_000, crashes: 60, users: 48 },
} as const
const LEASE_SECONDS = 3

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
    faults: PLUGIN_FAULTS,
    maxDelayMs: 20,
  })
  try {
    let chaos: Chaos | undefined
    const load = await runLoad({
      system,
      connection: database.connection,
      random,
      users: sizes.users,
      shouldContinue: (operations) =>
        operations < sizes.operations || (chaos?.counts.databaseCrashes ?? 0) < sizes.crashes,
      startFaults: () =>
        (chaos = startChaos({ ...system, database, random: random.split(), leaseSeconds: LEASE_SECONDS })),
    })
    if (chaos === undefined) throw new Error('the load ended before the faults')
    const { counts } = chaos
    const violations = [
      ...load.violations,
      ...counts.unexpectedExits.map((seen) => ({ promise: 'a replica stays up', seen })),
    ]
    const seconds = Math.round((performance.now() - started) / 1_000)
    return {
      lines: [
        `${load.operations} operations (${load.states}) in ${seconds} s, seed ${seed}`,
        `${counts.databaseCrashes} crashes of the database, ${counts.kills} SIGKILLs and ${counts.pauses} SIGSTOPs ` +
          `of replicas, ${counts.pluginKills} SIGKILLs of the plugins`,
        ...load.lines,
      ],
      trials: { 'operations under chaos': load.operations },
      violations: violations.map((violation) => ({ ...violation, seed })),
    }
  } finally {
    await system.stop()
  }
}

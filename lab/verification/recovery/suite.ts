import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig } from '#database/settings.ts'
import { install } from '../actions.ts'
import { BUNDLES, coreValues } from '../bundles.ts'
import { startOwnDatabase } from '../processes/database.ts'
import type { OwnDatabase } from '../processes/database.ts'
import { createSystem } from '../processes/system.ts'
import type { System } from '../processes/system.ts'
import type { Suite } from '../suite.ts'

const ROUNDS = { quick: 1, full: 3 } as const
const LEASE_SECONDS = 5
/** The time after the lease expires. */
const LIMIT_SECONDS = 1
/** As many as one replica may call the same plugin concurrently, so that one replica can lease all of them. */
const OPERATIONS = 8

interface Recovery {
  taken: number
  seconds: number
}

/** Two replicas lease operations. One is killed; the other must lease all of its operations soon after they expire. */
export const RECOVERY: Suite = {
  name: 'recovery',
  title: 'a replica takes the operations of a killed one as soon as their leases expire',
  async run({ size, count }) {
    const recoveries: Recovery[] = []
    for (let index = 0; index < (count ?? ROUNDS[size]); index++) recoveries.push(await recoverOnce())
    return {
      lines: recoveries.map(
        ({ taken, seconds }) =>
          `${taken} operations taken ${seconds.toFixed(2)} s after SIGKILL, with a lease of ${LEASE_SECONDS} s`,
      ),
      trials: { 'replicas replaced': recoveries.length },
      violations: recoveries.flatMap(({ taken, seconds }) => {
        if (taken === 0) return [{ promise: 'the suite runs', seen: 'the killed replica had no operation' }]
        if (seconds <= LEASE_SECONDS + LIMIT_SECONDS) return []
        return [{ promise: 'operations are taken', seen: `only ${seconds.toFixed(2)} s after SIGKILL` }]
      }),
    }
  },
}

async function recoverOnce(): Promise<Recovery> {
  const database = await startOwnDatabase()
  const system = await createSystem({
    databaseUrl: database.url,
    replicas: 2,
    leaseSeconds: LEASE_SECONDS,
    seed: 1,
    timeoutMs: 60_000,
  })
  try {
    return await measure(database, system)
  } finally {
    await system.stop()
    await database.stop()
  }
}

async function measure(database: OwnDatabase, system: System): Promise<Recovery> {
  const [first, second] = system.replicas
  if (first === undefined || second === undefined) throw new Error('two replicas are required')
  first.start()
  await Promise.all([first.ready(), system.plugins.start()])
  await system.registerAndPublish(system.client({ bases: [first.apiBase] }))
  // paused plugins do not respond, so a replica keeps its lease while it calls one
  await system.plugins.pause()
  const reader = new pg.Client(clientConfig(database.connection))
  await reader.connect()
  const leased = async () => {
    const { rows } = await reader.query<{ id: string; owner: string }>(
      'select operation_id as id, lease_owner as owner from runtime.operation where lease_owner is not null',
    )
    return rows
  }

  await installHalf(system, first.apiBase, 0)
  while ((await leased()).length < OPERATIONS / 2) await sleep(10)
  const [{ owner } = { owner: '' }] = await leased()
  second.start()
  await second.ready()
  await installHalf(system, second.apiBase, OPERATIONS / 2)
  while ((await leased()).length < OPERATIONS) await sleep(10)
  const orphaned = new Set((await leased()).flatMap((row) => (row.owner === owner ? [row.id] : [])))

  const killed = performance.now()
  await first.kill()
  for (;;) {
    const taken = (await leased()).filter((row) => row.owner !== owner && orphaned.has(row.id))
    if (taken.length === orphaned.size) break
    await sleep(10)
  }
  const seconds = (performance.now() - killed) / 1_000
  await reader.end()
  return { taken: orphaned.size, seconds }
}

/** Starts half of the operations, each in a separate scope; `from` is the first workspace ID. */
async function installHalf(system: System, base: string, from: number): Promise<void> {
  const client = system.client({ bases: [base] })
  for (let workspaceId = from; workspaceId < from + OPERATIONS / 2; workspaceId++) {
    const scope = { environmentKey: 'prod', applicationRuntimeId: 'recovery', workspaceId }
    await install(client, scope, BUNDLES.orders[0], coreValues('orders', 1))
  }
}

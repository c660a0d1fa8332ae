import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig } from '#database/settings.ts'
import { install } from '../verification/actions.ts'
import { BUNDLES, coreValues } from '../verification/bundles.ts'
import { startOwnDatabase } from '../verification/processes/database.ts'
import type { OwnDatabase } from '../verification/processes/database.ts'
import { createSystem } from '../verification/processes/system.ts'
import type { System } from '../verification/processes/system.ts'
import { median, round } from './report.ts'
import type { Result } from './report.ts'

const ROUNDS = 3
const LEASE_SECONDS = 5
/** Beyond the lease. */
const GOAL_SECONDS = 1
/** Each replica may call a plugin eight times concurrently, so that one can hold all of these. */
const OPERATIONS = 8

interface Recovery {
  taken: number
  seconds: number
}

/** Two replicas hold operations; one is killed, and the other takes over its operations. */
export async function benchRecovery(): Promise<Result> {
  const recoveries: Recovery[] = []
  for (let index = 0; index < ROUNDS; index++) recoveries.push(await recoverOnce())
  const beyond = ({ seconds }: Recovery): number => seconds - LEASE_SECONDS
  return {
    name: 'recovery',
    rows: recoveries.map((recovery, index) => ({
      round: index + 1,
      'operations taken': recovery.taken,
      'seconds after SIGKILL': round(recovery.seconds),
      'beyond the lease': round(beyond(recovery)),
    })),
    figure: median(recoveries.map(beyond)),
    goal: GOAL_SECONDS,
    meaning:
      `Seconds beyond the lease of ${LEASE_SECONDS} s, from the SIGKILL of one of two replicas until the other holds ` +
      'all of its operations; negative if the lease had nearly expired.',
  }
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
  // unresponsive plugins: a replica that calls one holds its operation
  await system.plugins.pause()
  const reader = new pg.Client(clientConfig(database.connection))
  await reader.connect()
  const held = async () => {
    const { rows } = await reader.query<{ id: string; owner: string }>(
      'select operation_id as id, lease_owner as owner from runtime.operation where lease_owner is not null',
    )
    return rows
  }

  await installHalf(system, first.apiBase, 0)
  while ((await held()).length < OPERATIONS / 2) await sleep(10)
  const [{ owner } = { owner: '' }] = await held()
  second.start()
  await second.ready()
  await installHalf(system, second.apiBase, OPERATIONS / 2)
  while ((await held()).length < OPERATIONS) await sleep(10)
  const left = new Set((await held()).flatMap((row) => (row.owner === owner ? [row.id] : [])))

  const killed = performance.now()
  await first.kill()
  for (;;) {
    const taken = (await held()).filter((row) => row.owner !== owner && left.has(row.id))
    if (taken.length === left.size) break
    await sleep(10)
  }
  const seconds = (performance.now() - killed) / 1_000
  await reader.end()
  return { taken: left.size, seconds }
}

/** Half of the operations, each in its own scope. */
async function installHalf(system: System, base: string, from: number): Promise<void> {
  const client = system.client({ bases: [base] })
  for (let workspaceId = from; workspaceId < from + OPERATIONS / 2; workspaceId++) {
    const scope = { environmentKey: 'prod', applicationRuntimeId: 'bench', workspaceId }
    await install(client, scope, BUNDLES.orders[0], coreValues('orders', 1))
  }
}

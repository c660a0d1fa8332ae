import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig, toUrl } from '#database/settings.ts'
import { detach, takeOver } from '../../verification/actions.ts'
import type { Delivery } from '../../verification/invariants/evidence.ts'
import { runLoad } from '../../verification/processes/load.ts'
import { readDeliveries } from '../../verification/processes/plugin-record.ts'
import { createSystem } from '../../verification/processes/system.ts'
import type { System } from '../../verification/processes/system.ts'
import { SeededRandom } from '../../verification/seeded-random.ts'
import type { Suite, SuiteReport, Violation } from '../../verification/suite.ts'
import { findPrograms } from '../debian-programs.ts'
import type { Programs } from '../debian-programs.ts'
import { createArchivedServer } from './server.ts'
import type { ArchivedServer } from './server.ts'

const OPERATIONS = { quick: 80, full: 1_000 } as const
const USERS = 6
const LEASE_SECONDS = 3
const QUIET_TIMEOUT_MS = 90_000

const WANTED = {
  packages: ['pgbackrest', 'postgresql'],
  programs: ['pgbackrest', 'initdb', 'postgres'],
}

/** A backup under load, a restore to a point before finished calls, and new operations after it. */
export const PGBACKREST: Suite = {
  name: 'pgbackrest',
  title:
    'pgBackRest backs up a database under load and restores it to a point in time; nothing goes backwards',
  async run({ size, seed, count }) {
    const programs = findPrograms(WANTED)
    if (typeof programs === 'string') return { skipped: programs, lines: [], trials: {}, violations: [] }
    try {
      return await restoreUnderLoad(programs, count ?? OPERATIONS[size], seed ?? 1)
    } finally {
      programs.remove()
    }
  },
}

async function restoreUnderLoad(programs: Programs, count: number, seed: number): Promise<SuiteReport> {
  const server = await createArchivedServer(programs)
  try {
    const system = await createSystem({
      databaseUrl: toUrl(server.connection),
      replicas: 2,
      leaseSeconds: LEASE_SECONDS,
      seed,
      maxDelayMs: 20,
    })
    try {
      return await restoreSystem({ server, system, count, seed })
    } finally {
      await system.stop()
    }
  } finally {
    await server.close()
  }
}

interface Trial {
  server: ArchivedServer
  system: System
  count: number
  seed: number
}

async function restoreSystem({ server, system, count, seed }: Trial): Promise<SuiteReport> {
  let operations = 0
  let target: string | null = null
  let backupMs = 0
  const load = await runLoad({
    system,
    connection: server.connection,
    random: new SeededRandom(seed),
    users: USERS,
    shouldContinue(started) {
      operations = started
      return started < count || target === null
    },
    startFaults() {
      const backingUp = (async () => {
        await until(() => operations > count / 4)
        const began = performance.now()
        await server.backup()
        backupMs = performance.now() - began
        const enough = operations + count / 4
        await until(() => operations > enough)
        target = await query<{ now: string }>(server, 'select clock_timestamp()::text as now').then(
          ([row]) => row?.now ?? null,
        )
      })()
      // reported when the load ends
      backingUp.catch(() => undefined)
      return { stop: () => backingUp }
    },
  })
  if (target === null) throw new Error('the load ended before the point in time')
  const snapshotsBefore = await readSnapshots(server)
  const before = readDeliveries(system.plugins.folder)
  for (const replica of system.replicas) await replica.stop()
  await server.stop()

  const restoring = performance.now()
  await server.restore(target)
  await server.start()
  const restoreMs = performance.now() - restoring
  const [{ n: restored } = { n: 0 }] = await query<{ n: number }>(
    server,
    'select count(*)::int as n from runtime.operation',
  )
  for (const replica of system.replicas) replica.start()
  await Promise.all(system.replicas.map((replica) => replica.ready()))
  const inDoubt = await checkInDoubt(server)
  await untilQuiet(server)
  const created = await operateEverything(server, system)
  await untilQuiet(server)

  const deliveries = readDeliveries(system.plugins.folder)
  const violations: Violation[] = [
    ...load.violations,
    ...inDoubt.violations,
    ...sequencesUsedTwice(deliveries),
    ...lateSequences(before, deliveries, created),
    ...(await snapshotsUsedTwice(server, snapshotsBefore)),
    ...(created.size === 0
      ? [{ promise: 'something is tried', seen: 'no operation was created after the restore' }]
      : []),
    ...(restored < load.operations
      ? []
      : [{ promise: 'something is tried', seen: 'the restore lost nothing' }]),
  ].map((violation) => ({ ...violation, seed }))
  return {
    lines: [
      `${load.operations} operations, of which ${restored} were in the restored state, ${inDoubt.count} of them in doubt; ` +
        `${created.size} created afterwards`,
      `full backup under load ${seconds(backupMs)}, restore until writable ${seconds(restoreMs)}`,
      `${deliveries.length} deliveries, ${deliveries.length - before.length} of them after the restore`,
    ],
    trials: { 'operations before and after a restore': load.operations + created.size },
    violations,
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(50)
}

async function query<Row extends pg.QueryResultRow>(
  server: ArchivedServer,
  statement: string,
): Promise<Row[]> {
  const client = new pg.Client(clientConfig(server.connection))
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

/** What was in progress in the restored state is marked; the number that the runtime recorded is that of the marks. */
async function checkInDoubt(server: ArchivedServer): Promise<{ count: number; violations: Violation[] }> {
  const [row] = await query<{ recovered: boolean; recorded: number; marked: number }>(
    server,
    `select recovered_at is not null as recovered, coalesce(operations_in_doubt, 0)::int as recorded,
      (select count(*)::int from runtime.operation where in_doubt_since is not null) as marked
     from runtime.server_identity`,
  )
  if (row?.recovered !== true)
    return { count: 0, violations: [{ promise: 'A14', seen: 'the restore was not noticed' }] }
  return {
    count: row.recorded,
    violations:
      row.marked === row.recorded
        ? []
        : [{ promise: 'A14', seen: `${row.recorded} operations were in doubt, ${row.marked} are marked` }],
  }
}

async function untilQuiet(server: ArchivedServer): Promise<void> {
  const deadline = performance.now() + QUIET_TIMEOUT_MS
  while (performance.now() < deadline) {
    const left = await query(
      server,
      `select from runtime.operation where state in ('PENDING', 'RUNNING', 'WAITING') limit 1`,
    )
    if (left.length === 0) return
    await sleep(200)
  }
  throw new Error('the operations do not end after the restore')
}

/** Takes over what has failed and detaches the rest. Returns the ids of the new operations. */
async function operateEverything(server: ArchivedServer, system: System): Promise<Set<string>> {
  const client = system.client()
  const failed = await query<{ operationId: string; run: number; bundleInstallId: string }>(
    server,
    `select operation_id as "operationId", run, bundle_install_id as "bundleInstallId"
     from runtime.operation where state = 'FAILED'`,
  )
  const created = new Set<string>()
  for (const operation of failed) created.add((await takeOver(client, operation)).operationId)
  const taken = new Set(failed.map(({ bundleInstallId }) => bundleInstallId))
  const installations = await query<{ id: string }>(
    server,
    `select bundle_install_id as id from runtime.installation where state = 'ACTIVE'`,
  )
  for (const { id } of installations) if (!taken.has(id)) created.add((await detach(client, id)).operationId)
  return created
}

/** No plugin ever sees a sequence with two operations. */
function sequencesUsedTwice(deliveries: readonly Delivery[]): Violation[] {
  const operations = new Map<string, string>()
  return deliveries.flatMap(({ pluginId, bundleInstallId, executionSequence, operationId }) => {
    const key = `${pluginId} ${bundleInstallId} ${executionSequence}`
    const first = operations.get(key) ?? operationId
    operations.set(key, first)
    return first === operationId ? [] : [{ promise: 'I5', seen: `${key}: ${first} and ${operationId}` }]
  })
}

/** What is created after the restore is later than all that plugins had seen. */
function lateSequences(
  before: readonly Delivery[],
  deliveries: readonly Delivery[],
  created: ReadonlySet<string>,
): Violation[] {
  const highest = new Map<string, number>()
  for (const { bundleInstallId, executionSequence } of before)
    highest.set(bundleInstallId, Math.max(executionSequence, highest.get(bundleInstallId) ?? 0))
  return deliveries
    .filter(({ operationId }) => created.has(operationId))
    .filter(
      ({ bundleInstallId, executionSequence }) => executionSequence <= (highest.get(bundleInstallId) ?? 0),
    )
    .map(({ bundleInstallId, executionSequence }) => ({
      promise: 'I5',
      seen: `${bundleInstallId} got ${executionSequence} after ${highest.get(bundleInstallId)}`,
    }))
}

interface Snapshot {
  scope: string
  version: number
  savedAt: string
}

const readSnapshots = (server: ArchivedServer): Promise<Snapshot[]> =>
  query<Snapshot>(
    server,
    `select environment_key || '/' || application_runtime_id || '/' || workspace_id as scope,
      snapshot.snapshot_version::int as version, snapshot.saved_at::text as "savedAt"
     from runtime.snapshot join runtime.scope using (scope_id)`,
  )

/** A snapshot of the time after the restore has a number that no snapshot of the time before it had. */
async function snapshotsUsedTwice(server: ArchivedServer, before: readonly Snapshot[]): Promise<Violation[]> {
  const known = new Map(before.map(({ scope, version, savedAt }) => [`${scope} ${version}`, savedAt]))
  return (await readSnapshots(server)).flatMap(({ scope, version, savedAt }) => {
    const first = known.get(`${scope} ${version}`) ?? savedAt
    return first === savedAt
      ? []
      : [{ promise: 'A14', seen: `snapshot ${version} of ${scope} was saved at ${first} and at ${savedAt}` }]
  })
}

import { spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig, toUrl } from '#database/settings.ts'
import { superviseReplicas } from '../../verification/processes/chaos.ts'
import { PLUGIN_FAULTS, runLoad } from '../../verification/processes/load.ts'
import { createSystem } from '../../verification/processes/system.ts'
import type { System } from '../../verification/processes/system.ts'
import { SeededRandom } from '../../verification/seeded-random.ts'
import type { Suite, SuiteReport } from '../../verification/suite.ts'
import { findPrograms } from '../debian-programs.ts'
import type { Programs } from '../debian-programs.ts'
import { startCluster } from './cluster.ts'
import type { PatroniCluster } from './cluster.ts'
import { FAULTS } from './faults.ts'
import { TIMES } from './node.ts'
import { longestLagMs, pausesSince, probeApi, probeDatabase, watchPrimary } from './probe.ts'
import type { Pause } from './probe.ts'

const OPERATIONS = { quick: 500, full: 5_000 } as const
/** Few enough that the machine is not saturated, because then the times would be those of the load. */
const USERS = 8
const LEASE_SECONDS = 3
const MAX_READS = 30
/** Before each fault, so that the load is as usual. */
const BETWEEN_MS = 3_000

const WANTED = {
  packages: ['patroni', 'etcd-server', 'haproxy', 'postgresql'],
  programs: ['patroni', 'etcd', 'haproxy', 'pg_rewind', 'unshare'],
}

/** Two replicas under load on a highly available PostgreSQL, whose machines fail one after the other. */
export const PATRONI: Suite = {
  name: 'patroni',
  title: 'two replicas under load on three PostgreSQL servers under Patroni, whose machines fail',
  async run({ size, seed, count }) {
    const programs = findPrograms(WANTED)
    if (typeof programs === 'string') return skip(programs)
    try {
      if (!hasNamespaces())
        return skip('needs process namespaces (unshare --pid), which this machine refuses')
      const cluster = await startCluster(programs)
      try {
        return await runFaults(cluster, { seed: seed ?? 1, operations: count ?? OPERATIONS[size], programs })
      } finally {
        await cluster.close()
      }
    } finally {
      programs.remove()
    }
  },
}

const skip = (skipped: string): SuiteReport => ({ skipped, lines: [], trials: {}, violations: [] })

function hasNamespaces(): boolean {
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user']
  return spawnSync('unshare', [...user, '--pid', '--mount-proc', '--fork', 'true']).status === 0
}

interface Trial {
  seed: number
  operations: number
  programs: Programs
}

async function runFaults(cluster: PatroniCluster, trial: Trial): Promise<SuiteReport> {
  const { seed } = trial
  const started = performance.now()
  const system = await createSystem({
    databaseUrl: toUrl(cluster.connection),
    replicas: 2,
    leaseSeconds: LEASE_SECONDS,
    seed,
    faults: PLUGIN_FAULTS,
    maxDelayMs: 20,
  })
  try {
    const rows: string[] = []
    const unexpectedExits: string[] = []
    let isDone = false
    const load = await runLoad({
      system,
      connection: cluster.connection,
      random: new SeededRandom(seed),
      users: USERS,
      // a failover loses nothing with a synchronous standby, but the runtime cannot know that
      mayGoBack: true,
      shouldContinue: (operations) => operations < trial.operations || !isDone,
      startFaults() {
        const supervisor = superviseReplicas(system.replicas, { unexpectedExits })
        const causing = causeFaults(cluster, system, rows).finally(() => (isDone = true))
        // reported when the load ends
        causing.catch(() => undefined)
        return {
          async stop() {
            await causing
            await Promise.all(system.replicas.map((replica) => replica.ready()))
            await supervisor.stop()
          },
        }
      },
    })
    const violations = [
      ...load.violations,
      ...unexpectedExits.map((seen) => ({ promise: 'a replica stays up', seen })),
    ]
    return {
      lines: [
        `${load.operations} operations (${load.states}) in ${Math.round((performance.now() - started) / 1_000)} s, seed ${seed}`,
        ...load.lines,
        `${versions(trial.programs)}; ttl ${TIMES.ttl} s, loop_wait ${TIMES.loop_wait} s, retry_timeout ${TIMES.retry_timeout} s`,
        '',
        '| fault | another primary | pauses of SQL | pauses of the API | the API after SQL | operations again |',
        '| --- | --- | --- | --- | --- | --- |',
        ...rows,
      ],
      trials: { 'operations during failovers': load.operations },
      violations: violations.map((violation) => ({ ...violation, seed })),
    }
  } finally {
    await system.stop()
  }
}

/** Each fault once, and a row of the table for each. */
async function causeFaults(cluster: PatroniCluster, system: System, rows: string[]): Promise<void> {
  const primaries = watchPrimary(cluster)
  const sql = await probeDatabase(cluster)
  const api = probeApi(system)
  try {
    for (const { title, cause } of FAULTS) {
      await cluster.settled()
      await sleep(BETWEEN_MS)
      let began = performance.now()
      let replaced: string | null = null
      await cause({
        cluster,
        system,
        begins(primary) {
          began = performance.now()
          replaced = primary
        },
      })
      await cluster.settled()
      await sleep(BETWEEN_MS)
      const first = replaced === null ? null : primaries.firstSince(began, replaced)
      const recovered = await recoveredAt(cluster)
      const [ofSql, ofApi] = [pausesSince(sql, began), pausesSince(api, began)]
      rows.push(
        `| ${[
          title,
          first === null ? '–' : seconds(first - began),
          inWords(ofSql, began),
          inWords(ofApi, began),
          seconds(longestLagMs(ofApi, ofSql)),
          recovered === null || recovered < began ? '–' : seconds(recovered - began),
        ].join(' | ')} |`,
      )
    }
  } finally {
    await Promise.all([primaries.stop(), sql.stop(), api.stop()])
  }
}

/**
 * When a runtime last noticed another primary, from which on operations are created and continued, in milliseconds of
 * `performance.now()`; null: never.
 */
async function recoveredAt({ connection }: PatroniCluster): Promise<number | null> {
  for (let tries = 1; ; tries++) {
    const client = new pg.Client(clientConfig(connection))
    // reported by the statement
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await client.query<{ at: Date | null }>(
        'select recovered_at as at from runtime.server_identity',
      )
      const at = rows[0]?.at?.getTime()
      return at === undefined ? null : at - performance.timeOrigin
    } catch (error) {
      // on a busy machine HAProxy closes sessions of a primary whose check is late
      if (tries === MAX_READS) throw error
      await sleep(1_000)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** `0.4–7.9 s, 12.1–19.6 s` after the fault began. */
const inWords = (pauses: readonly Pause[], began: number): string =>
  pauses
    .map(({ begin, end }) => `${(Math.max(0, begin - began) / 1_000).toFixed(1)}–${seconds(end - began)}`)
    .join(', ') || 'none'

/** `patroni 3.0.2, etcd 3.4.23, HAProxy 2.6.12, PostgreSQL 15.18` */
function versions({ path, env }: Programs): string {
  const versionOf = (name: string, option = '--version'): string => {
    const options = { encoding: 'utf8', env: { ...process.env, ...env } } as const
    return /\d+(\.\d+)+/.exec(spawnSync(path(name), [option], options).stdout)?.[0] ?? 'unknown'
  }
  return `Patroni ${versionOf('patroni')}, etcd ${versionOf('etcd')}, HAProxy ${versionOf('haproxy', '-v')}, PostgreSQL ${versionOf('pg_rewind')}`
}

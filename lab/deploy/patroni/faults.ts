import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { clientConfig } from '#database/settings.ts'
import type { System } from '../../verification/processes/system.ts'
import type { PatroniCluster } from './cluster.ts'

export interface FaultContext {
  cluster: PatroniCluster
  system: System
  /** Calls it when the fault is in effect, with the primary that another node replaces, or null. */
  begins(replaced: string | null): void
}

export interface ClusterFault {
  title: string
  /** Causes the fault and, if the cluster cannot do so, ends it. The cluster settles afterwards. */
  cause(context: FaultContext): Promise<void>
}

/** Longer than Patroni needs to notice a lost primary. */
const FROZEN_MS = 40_000

export const FAULTS: readonly ClusterFault[] = [
  {
    title: 'terminate all sessions',
    async cause({ cluster, begins }) {
      const client = new pg.Client(clientConfig(cluster.connection))
      await client.connect()
      begins(null)
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where usename = current_user and pid <> pg_backend_pid()`,
      )
      await client.end()
    },
  },
  {
    title: 'kill the etcd leader',
    async cause({ cluster: { etcd }, begins }) {
      begins(null)
      await etcd.killLeader()
      await sleep(15_000)
      etcd.start()
    },
  },
  {
    title: 'switch over',
    async cause({ cluster, begins }) {
      const { primary } = await cluster.settled()
      begins(primary)
      await cluster.switchOver()
    },
  },
  {
    title: 'kill the machine of the synchronous standby',
    async cause({ cluster, begins }) {
      const standby = cluster.node((await cluster.settled()).synchronous)
      begins(null)
      await standby.kill()
      await sleep(FROZEN_MS)
      standby.start()
    },
  },
  {
    title: 'kill the machine of the primary',
    async cause({ cluster, begins }) {
      const primary = cluster.node((await cluster.settled()).primary)
      begins(primary.name)
      await primary.kill()
      await sleep(FROZEN_MS)
      primary.start()
    },
  },
  {
    title: 'freeze the machine of the primary',
    async cause({ cluster, begins }) {
      const primary = cluster.node((await cluster.settled()).primary)
      begins(primary.name)
      await primary.freeze()
      await sleep(FROZEN_MS)
      primary.resume()
    },
  },
  {
    title: 'isolate the machine of the primary',
    async cause({ cluster, begins }) {
      const primary = cluster.node((await cluster.settled()).primary)
      begins(primary.name)
      primary.isolate()
      await sleep(FROZEN_MS)
      primary.heal()
    },
  },
  {
    title: 'kill and restart everything, the replicas too',
    async cause({ cluster, system, begins }) {
      begins(null)
      // the replicas are started again by their supervisor
      await Promise.all([
        cluster.kill(),
        system.plugins.kill(),
        ...system.replicas.map((replica) => replica.kill()),
      ])
      cluster.start()
      await system.plugins.start()
    },
  },
]

import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import * as z from 'zod'
import { serverUser } from '#database/server/os-user.ts'
import { clientConfig } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { fastFolder } from '../../verification/processes/fast-folder.ts'
import type { Programs } from '../debian-programs.ts'
import { createEtcd } from './etcd.ts'
import type { Etcd } from './etcd.ts'
import { createHaproxy } from './haproxy.ts'
import type { Haproxy } from './haproxy.ts'
import { createNode } from './node.ts'
import type { PatroniNode } from './node.ts'

/** Three PostgreSQL servers under Patroni, three members of etcd, and HAProxy in front of the primary. */
export interface PatroniCluster {
  /** Through HAProxy, as the role that owns the database. */
  connection: ConnectionSettings
  nodes: readonly PatroniNode[]
  etcd: Etcd
  haproxy: Haproxy
  node(name: string): PatroniNode
  /** Starts everything that does not run. */
  start(): void
  /** SIGKILL to everything at once. */
  kill(): Promise<void>
  /** Resolves when there is a primary with a synchronous and another standby, all replicating. */
  settled(): Promise<Members>
  /** Asks Patroni to make the synchronous standby the primary; resolves when it has. */
  switchOver(): Promise<void>
  /** Ends all and removes all files. */
  close(): Promise<void>
}

export interface Members {
  primary: string
  synchronous: string
}

const ClusterStatus = z.object({
  members: z.array(z.object({ name: z.string(), role: z.string(), state: z.string() })),
})
const SETTLED_MS = 240_000
/**
 * Then a person would copy a standby again: one with writes that the new primary lacks can wait for them forever, as
 * docs/operating/failover.md says.
 */
const STUCK_MS = 60_000

export async function startCluster(programs: Programs): Promise<PatroniCluster> {
  const folder = mkdtempSync(join(fastFolder(), 'bundle-console-patroni-'))
  chmodSync(folder, 0o755)
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  const password = randomBytes(16).toString('hex')
  const user = serverUser('')
  const etcd = await createEtcd(programs, join(folder, 'etcd'))
  const nodes: PatroniNode[] = []
  for (const name of ['n1', 'n2', 'n3'])
    nodes.push(
      await createNode({ name, programs, folder: join(folder, name), user, etcdPorts: etcd.ports, password }),
    )
  const haproxy = await createHaproxy(programs, folder, nodes)

  const callPatroni = async (
    path: string,
    init: RequestInit = {},
    timeoutMs = 2_000,
  ): Promise<Response | null> => {
    for (const { restPort } of nodes) {
      const request = { ...init, signal: AbortSignal.timeout(timeoutMs) }
      const response = await fetch(`http://127.0.0.1:${restPort}${path}`, request).catch(() => null)
      if (response !== null) return response
    }
    return null
  }
  const membersNow = async (): Promise<Members | string> => {
    const response = await callPatroni('/cluster')
    if (response === null) return 'Patroni does not respond'
    const { members } = ClusterStatus.parse(await response.json())
    const streaming = members.filter(({ state }) => ['running', 'streaming'].includes(state))
    const named = (role: string): string | undefined => streaming.find((one) => one.role === role)?.name
    const [primary, synchronous] = [named('leader'), named('sync_standby')]
    return streaming.length === nodes.length && primary !== undefined && synchronous !== undefined
      ? { primary, synchronous }
      : members.map(({ name, role, state }) => `${name} ${role} ${state}`).join(', ')
  }
  /** Has each standby that is still starting replaced by a copy of the primary. */
  const reinitialize = async (members: string): Promise<void> => {
    for (const { name, restPort } of nodes)
      if (members.includes(`${name} replica starting`))
        await fetch(`http://127.0.0.1:${restPort}/reinitialize`, {
          method: 'POST',
          body: JSON.stringify({ force: true }),
          signal: AbortSignal.timeout(10_000),
        })
  }
  const settled = async (): Promise<Members> => {
    const began = performance.now()
    const deadline = began + SETTLED_MS
    let isReinitialized = false
    for (;;) {
      const members = await membersNow()
      if (typeof members !== 'string') return members
      if (!isReinitialized && performance.now() > began + STUCK_MS) {
        isReinitialized = true
        await reinitialize(members)
      }
      if (performance.now() > deadline) {
        const output = nodes.map(({ name, output: lines }) => `${name}: ${lines().slice(-3).join(' | ')}`)
        throw new Error(`the cluster does not settle: ${members}; ${output.join('; ')}`)
      }
      await sleep(200)
    }
  }
  const cluster: PatroniCluster = {
    connection: { host: '127.0.0.1', port: haproxy.port, database: 'bundle', user: 'bundle', password },
    nodes,
    etcd,
    haproxy,
    node(name) {
      const found = nodes.find((one) => one.name === name)
      if (found === undefined) throw new RangeError(`there is no node ${name}`)
      return found
    },
    start() {
      etcd.start()
      for (const node of nodes) node.start()
      haproxy.start()
    },
    async kill() {
      await Promise.all([...nodes.map((node) => node.kill()), etcd.kill(), haproxy.kill()])
    },
    settled,
    async switchOver() {
      const { primary, synchronous } = await settled()
      const body = JSON.stringify({ leader: primary, candidate: synchronous })
      const response = await callPatroni('/switchover', { method: 'POST', body }, 120_000)
      if (response?.status !== 200)
        throw new Error(`the switchover failed: ${(await response?.text()) ?? 'no answer'}`)
    },
    async close() {
      await Promise.all([...nodes.map((node) => node.close()), etcd.kill(), haproxy.kill()])
      remove()
      process.off('exit', remove)
    },
  }
  try {
    cluster.start()
    await settled()
    await createDatabase({ ...cluster.connection, user: 'postgres', database: 'postgres' }, password)
    return cluster
  } catch (error) {
    await cluster.close()
    throw error
  }
}

async function createDatabase(superuser: ConnectionSettings, password: string): Promise<void> {
  const client = new pg.Client(clientConfig(superuser))
  await client.connect()
  await client.query(`create role bundle login password ${pg.escapeLiteral(password)}`)
  await client.query('create database bundle owner bundle')
  await client.end()
}

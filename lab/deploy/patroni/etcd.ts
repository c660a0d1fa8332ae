import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { startProcess } from '../../verification/processes/child.ts'
import type { Child } from '../../verification/processes/child.ts'
import { freePort } from '#database/free-port.ts'
import type { Programs } from '../debian-programs.ts'

/** Three members of etcd. */
export interface Etcd {
  ports: readonly number[]
  start(): void
  /** SIGKILL to the leader; returns its name. */
  killLeader(): Promise<string>
  /** SIGKILL to all that run. */
  kill(): Promise<void>
}

const NAMES = ['e1', 'e2', 'e3'] as const
const Status = z.object({ header: z.object({ member_id: z.string() }), leader: z.string() })

/** Nothing runs yet; `start` starts the members that do not run. */
export async function createEtcd(programs: Programs, folder: string): Promise<Etcd> {
  const members = await Promise.all(
    NAMES.map(async (name) => ({ name, port: await freePort(), peerPort: await freePort() })),
  )
  const running = new Map<string, Child>()
  await mkdir(folder)
  const initialCluster = members.map(({ name, peerPort }) => `${name}=http://127.0.0.1:${peerPort}`).join(',')
  const start = (): void => {
    for (const { name, port, peerPort } of members) {
      if (running.get(name)?.isAlive() === true) continue
      const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
      running.set(
        name,
        startProcess(
          [
            programs.path('etcd'),
            `--name=${name}`,
            `--data-dir=${join(folder, name)}`,
            `--listen-client-urls=${client}`,
            `--advertise-client-urls=${client}`,
            `--listen-peer-urls=${peer}`,
            `--initial-advertise-peer-urls=${peer}`,
            `--initial-cluster=${initialCluster}`,
            '--initial-cluster-token=verification',
            // patient, because a busy machine is not a lost leader
            '--heartbeat-interval=200',
            '--election-timeout=2000',
            // for Patroni, see node.ts
            '--enable-v2=true',
            '--logger=zap',
            '--log-level=error',
          ],
          programs.env,
        ),
      )
    }
  }
  const killOne = async (name: string): Promise<void> => {
    const child = running.get(name)
    child?.signal('SIGKILL')
    await child?.exited
  }
  return {
    ports: members.map(({ port }) => port),
    start,
    async killLeader() {
      for (const { name, port } of members) {
        const response = await fetch(`http://127.0.0.1:${port}/v3/maintenance/status`, {
          method: 'POST',
          body: '{}',
        })
        const { header, leader } = Status.parse(await response.json())
        if (header.member_id !== leader) continue
        await killOne(name)
        return name
      }
      throw new Error('etcd has no leader')
    },
    async kill() {
      await Promise.all(NAMES.map(killOne))
    },
  }
}

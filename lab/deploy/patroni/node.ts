import { chownSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OsUser } from '#database/server/os-user.ts'
import { startProcess } from '../../verification/processes/child.ts'
import type { Child } from '../../verification/processes/child.ts'
import { freePort } from '#database/free-port.ts'
import type { Programs } from '../debian-programs.ts'
import { asUser } from '../os-user.ts'
import { firstOf, openLink } from '../../../e2e/harness/link.ts'

/** A machine with Patroni and its PostgreSQL, as far as others can tell. */
export interface PatroniNode {
  name: string
  /** Where others reach PostgreSQL, and Patroni's interface. */
  address: { postgres: number; rest: number }
  /** Patroni's interface on the machine itself. */
  restPort: number
  start(): void
  /** Ends all of its processes at once, as a power failure does. */
  kill(): Promise<void>
  /** SIGSTOP to all of its processes. */
  freeze(): Promise<void>
  resume(): void
  /** Cuts its network: to the clients, the other nodes and etcd. */
  isolate(): void
  heal(): void
  output(): string[]
  close(): Promise<void>
}

export interface NodeOptions {
  name: string
  programs: Programs
  /** Of this node, for all of its files. */
  folder: string
  user: OsUser | undefined
  etcdPorts: readonly number[]
  password: string
}

/** The times of Patroni, in seconds: the shortest that it accepts for `ttl`. */
export const TIMES = { ttl: 20, loop_wait: 4, retry_timeout: 8 } as const

/** Until a Patroni that ended without a kill is started again. */
const RESTART_MS = 1_000

/** Nothing runs yet. */
export async function createNode(options: NodeOptions): Promise<PatroniNode> {
  const { name, programs, folder, user, etcdPorts } = options
  mkdirSync(folder, { mode: 0o700 })
  const [port, restPort, linkPort, restLinkPort, etcdLinkPort] = await distinctPorts()
  const links = await Promise.all([
    openLink({ open: () => firstOf([port]), port: linkPort }),
    openLink({ open: () => firstOf([restPort]), port: restLinkPort }),
    openLink({ open: () => firstOf(etcdPorts), port: etcdLinkPort }),
  ])
  const settings = join(folder, 'patroni.json')
  const places = { port, restPort, linkPort, restLinkPort, etcdLinkPort }
  writeFileSync(settings, JSON.stringify(settingsOf(options, places)), { mode: 0o600 })
  if (user !== undefined) for (const path of [folder, settings]) chownSync(path, user.uid, user.gid)

  // in a process namespace, which ends as a whole and cannot leave a server behind
  const unprivileged = user === undefined ? ['--user', '--map-current-user'] : []
  const namespace = ['unshare', ...unprivileged, '--pid', '--mount-proc', '--fork', '--kill-child=KILL']
  const command = [...namespace, ...asUser(user), programs.path('patroni'), settings]
  let child: Child | undefined
  let frozen: number[] = []
  let isWanted = false
  const start = (): void => {
    isWanted = true
    const started = startProcess(command, programs.env)
    child = started
    // as a service manager does: Patroni 3.0 ends if etcd has not elected a leader yet
    void started.exited.then(async () => {
      await sleep(RESTART_MS)
      if (isWanted && child === started) start()
    })
  }
  const kill = async (): Promise<void> => {
    isWanted = false
    const pids = child?.isAlive() === true ? treeOf(child.pid) : []
    child?.signal('SIGKILL')
    await child?.exited
    while (pids.some(exists)) await sleep(10)
  }
  return {
    name,
    address: { postgres: linkPort, rest: restLinkPort },
    restPort,
    start,
    kill,
    async freeze() {
      if (child === undefined) throw new Error(`${name} does not run`)
      // again, for processes that were started meanwhile
      for (let last = -1; frozen.length !== last;) {
        last = frozen.length
        frozen = treeOf(child.pid)
        for (const pid of frozen) signal(pid, 'SIGSTOP')
        await sleep(20)
      }
    },
    resume() {
      for (const pid of frozen) signal(pid, 'SIGCONT')
      frozen = []
    },
    isolate() {
      for (const link of links) link.pause()
    },
    heal() {
      // the network resets the connections of the time before; new ones pass
      for (const link of links) {
        link.reset()
        link.resume()
      }
    },
    output: () => child?.output() ?? [],
    async close() {
      await kill()
      await Promise.all(links.map((link) => link.close()))
    },
  }
}

interface Places {
  port: number
  restPort: number
  linkPort: number
  restLinkPort: number
  etcdLinkPort: number
}

async function distinctPorts(): Promise<[number, number, number, number, number]> {
  const ports = new Set<number>()
  while (ports.size < 5) ports.add(await freePort())
  const [one = 0, two = 0, three = 0, four = 0, five = 0] = ports
  return [one, two, three, four, five]
}

function settingsOf({ name, programs, folder, password }: NodeOptions, places: Places) {
  const local = (port: number): string => `127.0.0.1:${port}`
  return {
    scope: 'verification',
    name,
    restapi: { listen: local(places.restPort), connect_address: local(places.restLinkPort) },
    // as a proxy: otherwise Patroni asks etcd for the addresses of its members, which bypass the link. With version 2 of
    // its API: by version 3, Patroni before 3.0.3 can overwrite the key of another leader after it was frozen
    etcd: { proxy: `http://${local(places.etcdLinkPort)}` },
    bootstrap: {
      dcs: {
        ...TIMES,
        synchronous_mode: true,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: {
            max_connections: 150,
            shared_buffers: '64MB',
            wal_keep_size: '256MB',
            max_wal_size: '512MB',
            wal_log_hints: 'on',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
    },
    postgresql: {
      listen: local(places.port),
      connect_address: local(places.linkPort),
      data_dir: join(folder, 'data'),
      bin_dir: dirname(realpathSync(programs.path('pg_rewind'))),
      pgpass: join(folder, 'pgpass'),
      authentication: {
        superuser: { username: 'postgres', password },
        replication: { username: 'replicator', password },
      },
      parameters: { unix_socket_directories: folder },
      // otherwise a copy first waits for a checkpoint that is spread over minutes
      basebackup: [{ checkpoint: 'fast' }],
      pg_hba: [
        'local all all scram-sha-256',
        'host replication replicator 127.0.0.1/32 scram-sha-256',
        'host all all 127.0.0.1/32 scram-sha-256',
      ],
      // a server that cannot follow the new primary is copied again
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
    },
  }
}

/** The process and all that it started. */
function treeOf(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    const parent = Number.isInteger(pid) ? parentOf(pid) : null
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const tree = [root]
  for (const pid of tree) tree.push(...(children.get(pid) ?? []))
  return tree
}

function parentOf(pid: number): number | null {
  try {
    // after the name, which may contain anything but ends with the last bracket
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1])
  } catch {
    return null
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    // it has ended
    return false
  }
}

const exists = (pid: number): boolean => signal(pid, 0)

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Engine, EngineContext } from './operations.ts'

export interface PeerOptions {
  module: 'graphile-worker' | 'pg-boss' | 'dbos' | 'restate'
  /** An attempt is committed before each call, and its outcome after it, as ours are. */
  recorded?: boolean
  /** With its options for many jobs. */
  batching?: boolean
}

export interface Peer extends PeerOptions {
  name: string
  /** Keeps its own journal instead of a database. */
  hasOwnJournal?: boolean
  /** Only one process may work, or each works only for itself. */
  isSingle?: boolean
}

/** The engines that ours is compared with. */
export const PEERS: readonly Peer[] = [
  { name: 'graphile-worker, same record', module: 'graphile-worker', recorded: true },
  {
    name: 'graphile-worker batching, same record',
    module: 'graphile-worker',
    recorded: true,
    batching: true,
  },
  { name: 'pg-boss, same record', module: 'pg-boss', recorded: true },
  { name: 'pg-boss in batches, same record', module: 'pg-boss', recorded: true, batching: true },
  { name: 'DBOS', module: 'dbos', isSingle: true },
  { name: 'Restate', module: 'restate', hasOwnJournal: true, isSingle: true },
  { name: 'graphile-worker', module: 'graphile-worker' },
  { name: 'graphile-worker batching', module: 'graphile-worker', batching: true },
  { name: 'pg-boss', module: 'pg-boss' },
  { name: 'pg-boss in batches', module: 'pg-boss', batching: true },
]

const FOLDER = fileURLToPath(new URL('./peers/', import.meta.url))

/** Installs the packages of the peers, unless they are installed. They are large, so nothing else needs them. */
export function installPeers(): void {
  if (existsSync(`${FOLDER}node_modules/.package-lock.json`)) return
  const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', install, { cwd: FOLDER, stdio: 'inherit' })
  if (status !== 0) throw new Error('The packages of the peers could not be installed')
}

/** A peer, which has the same work as ours. Its module exists only once it is installed. */
export async function createPeer(options: PeerOptions, context: EngineContext): Promise<Engine> {
  const module = `./peers/${options.module}.mjs`
  const { createEngine } = (await import(module)) as {
    createEngine(options: PeerOptions & EngineContext): Engine
  }
  return createEngine({ ...context, ...options })
}

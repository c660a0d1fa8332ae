import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { serverEnvironment, type Binaries } from './binaries.ts'
import { giveDirectory, giveTree, type OsUser } from './os-user.ts'

/** The superuser of our clusters. */
export const clusterUser = 'postgres'

/** Everything needed to start a server on one directory. */
export type Cluster = {
  directory: string
  /** Short, for the server only: it contains the socket. */
  runDirectory: string
  binaries: Binaries
  user: OsUser | undefined
  /** If set: TCP on loopback with this password instead of a Unix socket. */
  tcp?: { port: number; password: string }
  /** For tests and development only: gives up durability. */
  disposable?: boolean | undefined
}

/**
 * The value of the server's data directory argument. A server that runs as another user may be unable to follow the
 * path to its directory (DATA_DIR or a parent may be closed to others). So it is started inside the directory and gets
 * the current directory as its argument.
 */
export function directoryArgument({ directory, user }: Cluster): string {
  return user && process.platform === 'linux' ? '/proc/self/cwd' : directory
}

/** Creates the cluster if there is none. Throws one line if these binaries cannot open the directory. */
export async function ensureCluster(cluster: Cluster): Promise<'made' | 'found'> {
  const { directory, user } = cluster
  const entries = existsSync(directory) ? readdirSync(directory) : []
  if (entries.length === 0) {
    await makeCluster(cluster)
    return 'made'
  }
  if (!entries.includes('PG_VERSION')) {
    throw new Error(
      `${directory} is not empty and is not a PostgreSQL directory; move it away or choose another DATA_DIR`,
    )
  }
  const major = readFileSync(join(directory, 'PG_VERSION'), 'utf8').trim()
  if (major !== String(cluster.binaries.major)) {
    throw new Error(
      `${directory} was created by PostgreSQL ${major || '(unknown)'}, and this program contains PostgreSQL ` +
        `${cluster.binaries.major}; start it with the version of the program that created it, or choose another DATA_DIR`,
    )
  }
  const missing = ['global/pg_control', 'pg_wal', 'base'].filter((part) => !existsSync(join(directory, part)))
  if (missing.length > 0) {
    throw new Error(`${directory} is damaged: ${missing.join(', ')} is missing; restore it from a backup`)
  }
  if (user && statSync(directory).uid !== user.uid) giveTree(directory, user)
  return 'found'
}

/** Created beside its location and renamed, so a half-created cluster is never found there. */
async function makeCluster(cluster: Cluster): Promise<void> {
  const fresh = freshDirectory(cluster.directory)
  giveDirectory(fresh, cluster.user)
  await initialize(cluster, fresh)
  rmSync(cluster.directory, { recursive: true, force: true })
  renameSync(fresh, cluster.directory)
  syncDirectory(dirname(cluster.directory))
}

function initOptions(cluster: Cluster): string[] {
  const options = [
    `--username=${clusterUser}`,
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ]
  // The collation is PostgreSQL's own, so a newer C library cannot silently corrupt an index.
  if (cluster.binaries.major >= 17) options.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8')
  if (cluster.disposable) options.push('--no-sync')
  return options
}

async function initialize(cluster: Cluster, fresh: string): Promise<void> {
  const all = [`--pgdata=${directoryArgument({ ...cluster, directory: fresh })}`, ...initOptions(cluster)]
  if (cluster.tcp) all.push(`--pwfile=${passwordFileFor(cluster, cluster.tcp.password)}`)
  const { status, output } = await runToEnd(cluster.binaries.initdb, all, fresh, cluster.user)
  if (status === 0) return
  rmSync(fresh, { recursive: true, force: true })
  throw new Error(`A new database could not be created in ${cluster.directory}: ${lastLines(output)}`)
}

/** Each name is new: an initdb that outlived our program may still be writing to the last one. */
function freshDirectory(directory: string): string {
  const prefix = `${basename(directory)}.new-`
  const parent = dirname(directory)
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    try {
      rmSync(join(parent, name), { recursive: true, force: true })
    } catch {
      // Still being written to; the next start removes it.
    }
  }
  return mkdtempSync(join(parent, prefix))
}

/** The server's user reads it, so it is in the server's own directory. */
function passwordFileFor({ runDirectory, user }: Cluster, password: string): string {
  const path = join(runDirectory, 'password')
  writeFileSync(path, `${password}\n`, { mode: 0o600 })
  if (user) giveTree(runDirectory, user)
  return path
}

/** The generated password of a cluster that is reached by TCP; stored beside the cluster, readable only by us. */
export function clusterPassword(directory: string): string {
  const path = join(dirname(directory), `${basename(directory)}.password`)
  if (existsSync(path)) return readFileSync(path, 'utf8').trim()
  const password = randomBytes(24).toString('base64url')
  writeFileSync(path, `${password}\n`, { mode: 0o600, flag: 'wx' })
  return password
}

function syncDirectory(path: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(path, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

type Ended = { status: number | null; output: string }

/** Runs a PostgreSQL program to completion. Rejects if it cannot be started. */
export async function runToEnd(
  program: string,
  options: string[],
  cwd: string,
  user?: OsUser,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, {
      cwd,
      env: serverEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      ...user,
    })
    const parts: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => parts.push(part))
    }
    child.once('error', reject)
    child.once('close', (status) => resolve({ status, output: parts.join('') }))
  })
}

/** The last lines of a program's output, as one line. */
export function lastLines(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  return (
    lines
      .filter((line) => line !== '')
      .slice(-6)
      .join(' | ') || 'no output'
  )
}

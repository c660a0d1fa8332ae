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

/** Everything that starting a server on one directory needs. */
export type Cluster = {
  directory: string
  /** Short, for the server alone: it holds the socket. */
  runDirectory: string
  binaries: Binaries
  user: OsUser | undefined
  /** Given: TCP on loopback with this password instead of a unix socket. */
  tcp?: { port: number; password: string }
  /** True for a test run's only: not written to disk with care. */
  disposable?: true
}

/**
 * How the server is told where its directory is. When it runs as another user it may be unable to follow the path to it
 * (DATA_DIR is closed to others, and so may be a parent). It is started inside the directory, and this names "where I
 * stand" without a path to follow.
 */
export function directoryArgument({ directory, user }: Cluster): string {
  return user && process.platform === 'linux' ? '/proc/self/cwd' : directory
}

/** Makes the cluster when there is none. Throws one line when the directory is not one that these binaries open. */
export async function ensureCluster(cluster: Cluster): Promise<'made' | 'found'> {
  const { directory, user } = cluster
  const entries = existsSync(directory) ? readdirSync(directory) : []
  if (entries.length === 0) {
    await makeCluster(cluster)
    return 'made'
  }
  if (!entries.includes('PG_VERSION')) {
    throw new Error(
      `${directory} is not empty and is no PostgreSQL directory; move it away or choose another DATA_DIR`,
    )
  }
  const major = readFileSync(join(directory, 'PG_VERSION'), 'utf8').trim()
  if (major !== String(cluster.binaries.major)) {
    throw new Error(
      `${directory} was made by PostgreSQL ${major || '(unknown)'}, and this program brings PostgreSQL ` +
        `${cluster.binaries.major}; start it with the version of the program that made it, or choose another DATA_DIR`,
    )
  }
  const missing = ['global/pg_control', 'pg_wal', 'base'].filter((part) => !existsSync(join(directory, part)))
  if (missing.length > 0) {
    throw new Error(`${directory} is damaged: ${missing.join(', ')} is missing; restore it from a backup`)
  }
  if (user && statSync(directory).uid !== user.uid) giveTree(directory, user)
  return 'found'
}

/** Made beside its place and renamed, so that a half-made cluster never stands in it. */
async function makeCluster(cluster: Cluster): Promise<void> {
  const fresh = freshDirectory(cluster.directory)
  giveDirectory(fresh, cluster.user)
  const options = [
    `--pgdata=${directoryArgument({ ...cluster, directory: fresh })}`,
    `--username=${clusterUser}`,
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ]
  // The collation is PostgreSQL's own, so a newer C library cannot silently break an index.
  if (cluster.binaries.major >= 17) options.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8')
  if (cluster.disposable) options.push('--no-sync')
  if (cluster.tcp) options.push(`--pwfile=${passwordFileFor(cluster, cluster.tcp.password)}`)
  const { status, output } = await runToEnd(cluster.binaries.initdb, options, fresh, cluster.user)
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    throw new Error(`A new database could not be made in ${cluster.directory}: ${lastLines(output)}`)
  }
  rmSync(cluster.directory, { recursive: true, force: true })
  renameSync(fresh, cluster.directory)
  syncDirectory(dirname(cluster.directory))
}

/** Its name is new each time: an initdb that outlived our program may still be writing to the last one. */
function freshDirectory(directory: string): string {
  const prefix = `${basename(directory)}.new-`
  const parent = dirname(directory)
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    try {
      rmSync(join(parent, name), { recursive: true, force: true })
    } catch {
      // Being written to at this moment; the next start removes it.
    }
  }
  return mkdtempSync(join(parent, prefix))
}

/** The server's user reads it, so it lies in the server's own directory. */
function passwordFileFor({ runDirectory, user }: Cluster, password: string): string {
  const path = join(runDirectory, 'password')
  writeFileSync(path, `${password}\n`, { mode: 0o600 })
  if (user) giveTree(runDirectory, user)
  return path
}

/** The generated password of a cluster that is reached by TCP; kept beside it, for us alone. */
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

/** Runs a program of PostgreSQL to its end. Rejects when it cannot be started at all. */
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

/** The end of what a program said, as one line. */
export function lastLines(output: string): string {
  const lines = output.split('\n').map((line) => line.trim())
  return (
    lines
      .filter((line) => line !== '')
      .slice(-6)
      .join(' | ') || 'it said nothing'
  )
}

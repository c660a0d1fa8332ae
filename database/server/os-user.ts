import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, lchownSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The user that PostgreSQL runs as instead of root. */
export type OsUser = { uid: number; gid: number }

/**
 * PostgreSQL refuses to run as root, so root needs another user: the owner of the cluster, else `postgres`, else
 * `nobody`. Returns undefined if we are not root: PostgreSQL then runs as the current user. Throws if no such user
 * exists.
 */
export function serverUser(clusterDirectory: string): OsUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const owner = statSync(clusterDirectory, { throwIfNoEntry: false })
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const found = userNamed('postgres') ?? userNamed('nobody')
  if (found) return found
  throw new Error(
    'PostgreSQL does not run as root, and this system has neither a user "postgres" nor "nobody"; ' +
      'run as an ordinary user or set DATABASE_URL',
  )
}

function userNamed(name: string): OsUser | undefined {
  const id = (what: '-u' | '-g') => {
    const { status, stdout } = spawnSync('id', [what, name], { encoding: 'utf8' })
    return status === 0 ? Number(stdout) : Number.NaN
  }
  const uid = id('-u')
  const gid = id('-g')
  return uid > 0 && gid >= 0 ? { uid, gid } : undefined
}

/** Makes the server the owner of a directory that is closed to all others (0700). Throws if that fails. */
export function giveDirectory(path: string, user: OsUser | undefined): void {
  if (user) changeOwner(path, () => chownSync(path, user.uid, user.gid))
  chmodSync(path, 0o700)
}

/** Makes the server the owner of a whole tree, such as a cluster that root restored from a backup. */
export function giveTree(path: string, user: OsUser): void {
  giveDirectory(path, user)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name)
    if (entry.isDirectory()) giveTree(inner, user)
    else changeOwner(inner, () => lchownSync(inner, user.uid, user.gid))
  }
}

function changeOwner(path: string, change: () => void): void {
  try {
    change()
  } catch (error) {
    throw new Error(
      `${path} cannot be given to the user that PostgreSQL runs as, because this root user may not change owners; ` +
        'run as an ordinary user or set DATABASE_URL',
      { cause: error },
    )
  }
}

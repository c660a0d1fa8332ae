import type { OsUser } from '#database/server/os-user.ts'

/** Before a command: runs it as this user, because servers refuse to run as root. It ends with its parent process. */
export function asUser(user: OsUser | undefined): string[] {
  return user === undefined
    ? []
    : ['setpriv', '--pdeathsig=KILL', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--']
}

import type { NewUser } from './oidc/users.ts'

/** What is printed when the console is up: where it is, and the passwords of users that were just made. */
export function greeting({ url, newUsers }: { url: string; newUsers: readonly NewUser[] }): string {
  const where = `\nThe console is at ${url}\n`
  if (newUsers.length === 0) {
    return `${where}Sign in with the users and passwords that were printed at the first start, or set CONSOLE_USERS.`
  }
  const lines = newUsers.map(
    ({ username, password, roles }) => `  ${username.padEnd(10)} ${password}   ${roles.join(', ')}`,
  )
  return `${where}Sign in as one of these users. The passwords are shown this once:\n\n${lines.join('\n')}`
}

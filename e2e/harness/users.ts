import type { ConfiguredUser } from '#bff/oidc/users.ts'
import type { Role } from '#bff/roles.ts'

const PASSWORD = 'a password for tests only'

const user = (username: string, role: Role): ConfiguredUser => ({
  username,
  password: PASSWORD,
  roles: [{ role, scope: null }],
})

/** The users who may sign in to the systems of the browser tests. */
export const users = {
  admin: user('admin', 'admin'),
  olivia: user('olivia', 'operator'),
  oscar: user('oscar', 'operator'),
  sam: user('sam', 'support'),
  vera: user('vera', 'viewer'),
}
export type UserName = keyof typeof users

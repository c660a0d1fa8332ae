import type { AuthSettings } from './auth-settings.ts'
import type { FirstPasswords, NewUser } from './oidc/first-passwords.ts'

/** How people sign in, and what is to be done about it at a start. */
export interface SignIn {
  settings: Pick<AuthSettings, 'publicOrigin' | 'externalIdp' | 'users'>
  /** Null where passwords come from elsewhere. */
  issueFirstPasswords: (() => Promise<FirstPasswords>) | null
}

/**
 * Prints where the console is and how to sign in, once it is up. Passwords are generated now and count as shown only when
 * they have been written, so a start that is cut off loses none: the next one generates and prints others.
 */
export async function greet({ settings, issueFirstPasswords }: SignIn): Promise<void> {
  const where = `\nThe console is at ${settings.publicOrigin}\n`
  const passwords = await issueFirstPasswords?.()
  if (passwords === undefined || passwords.users.length === 0) return print(where + wayIn(settings))
  await print(where + shown(passwords.users))
  if (!(await passwords.confirmShown()))
    await print(
      'These passwords no longer apply: another console has started meanwhile and printed new ones.',
    )
}

function wayIn({ externalIdp, users }: SignIn['settings']): string {
  if (externalIdp !== null) return `Sign in with an account of ${new URL(externalIdp.issuer).host}.`
  if (users !== null) return 'Sign in as one of the users in CONSOLE_USERS.'
  return 'Sign in with a password that an earlier start printed. If those are lost, set CONSOLE_USERS.'
}

function shown(users: readonly NewUser[]): string {
  const lines = users.map(
    ({ username, password, roles }) => `  ${username.padEnd(10)} ${password}   ${roles.join(', ')}`,
  )
  return `Sign in as one of these users. The passwords are shown this once:\n\n${lines.join('\n')}`
}

/** Resolves once standard output has taken the text. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()))
  })
}

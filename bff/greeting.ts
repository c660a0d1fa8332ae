import type { AuthSettings } from './settings.ts'
import type { FirstNames, FirstPasswords, NewUser } from './oidc/passwords.ts'

/** How people sign in, and what the start has to do for it. */
export interface SignIn {
  settings: Pick<AuthSettings, 'publicOrigin' | 'externalIdp' | 'users'>
  /** Null if the settings or another identity provider define the passwords. */
  issueFirstPasswords: ((names?: FirstNames) => Promise<FirstPasswords>) | null
}

/**
 * Prints where the console is and how to sign in, once it is up. Passwords are generated now and count as shown
 * only once they have been printed, so an interrupted start loses none: the next one generates and prints new
 * ones.
 *
 * @param options `names`: what users that are created now are called; `isForPeople`: plain text, instead of one line of JSON for
 *   each line.
 */
export async function greet(
  { settings, issueFirstPasswords }: SignIn,
  { names, isForPeople }: { names?: FirstNames | undefined; isForPeople: boolean },
): Promise<void> {
  const where = `\nThe console is at ${settings.publicOrigin}\n`
  const passwords = await issueFirstPasswords?.(names)
  if (passwords === undefined || passwords.users.length === 0)
    return print(where + signInHint(settings), isForPeople)
  await print(where + passwordList(passwords.users), isForPeople)
  if (!(await passwords.confirmShown()))
    await print(
      'These passwords no longer apply: another console has started in the meantime and printed new ones.',
      isForPeople,
    )
}

function signInHint({ externalIdp, users }: SignIn['settings']): string {
  if (externalIdp !== null) return `Sign in with an account of ${new URL(externalIdp.issuer).host}.`
  if (users !== null) return 'Sign in as one of the users in CONSOLE_USERS.'
  return 'Sign in with a password that an earlier start printed. If those are lost, set CONSOLE_USERS.'
}

function passwordList(users: readonly NewUser[]): string {
  const lines = users.map(
    ({ username, password, name, roles }) =>
      `  ${username.padEnd(10)} ${password}   ${[roles.join(', '), ...(name === username ? [] : [name])].join(' · ')}`,
  )
  return `Sign in as one of these users. The passwords are shown only once:\n\n${lines.join('\n')}`
}

/** Prints a text; a collector of logs gets each line as JSON instead. Resolves once it is written to standard output. */
function print(text: string, isForPeople: boolean): Promise<void> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const entries = lines.map((msg) =>
    JSON.stringify({ level: 30, time: new Date().toISOString(), name: 'bundle-console', msg: msg.trim() }),
  )
  return new Promise((resolve, reject) => {
    const written = isForPeople ? text : entries.join('\n')
    process.stdout.write(`${written}\n`, (error) => (error ? reject(error) : resolve()))
  })
}

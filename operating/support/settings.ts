import { fileVariable, SECRET_VARIABLES, VARIABLES } from '#http-kit/known-variables.ts'

/** Which settings are set, and the values of those that cannot be secret. */
export function describeSettings(env: Record<string, string | undefined>): Record<string, string> {
  const described: Record<string, string> = {}
  for (const name of [...VARIABLES, ...SECRET_VARIABLES.map(fileVariable)]) {
    const value = env[name]?.trim()
    if (value === undefined || value === '') continue
    described[name] = SECRET_VARIABLES.some((secret) => secret === name)
      ? 'set (hidden)'
      : withoutPassword(value)
  }
  return described
}

/** A user and password in a URL make the setting invalid, but the rest of it is described. */
const withoutPassword = (value: string): string =>
  // where no URL can be read, nobody can tell the password from the rest
  value.includes('://') && value.includes('@') && !URL.canParse(value)
    ? '(invalid)'
    : value.replaceAll(/(?<=:\/\/)[^/\s]*@/g, '(hidden)@')

/** Every text that must not appear anywhere: the secrets themselves, and the parts of them that are secrets. */
export function secretsOf(deployment: {
  database: { url: string | null; directUrl: string | null; readUrl: string | null }
  console: {
    auth: {
      externalIdp: { clientSecret: string | null } | null
      users: readonly { password: string }[] | null
    }
  } | null
  credentials: readonly string[]
}): string[] {
  const { database, console, credentials } = deployment
  const urls = [database.url, database.directUrl, database.readUrl].filter((url) => url !== null)
  return [
    ...urls,
    ...urls.map((url) => URL.parse(url)?.password ?? '').flatMap((text) => [text, decodeURIComponent(text)]),
    ...credentials,
    console?.auth.externalIdp?.clientSecret ?? '',
    ...(console?.auth.users ?? []).map(({ password }) => password),
  ].filter((text) => text !== '')
}

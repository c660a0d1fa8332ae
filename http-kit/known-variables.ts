/**
 * Every environment variable that one of the programs reads. Programs share an environment (a compose file, a unit's
 * `EnvironmentFile`), so each of them knows the variables of the others. A test compares the list with the schemas.
 */
export const VARIABLES = [
  'DATA_DIR',
  'LOG_LEVEL',
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_READ_URL',
  'DATABASE_LISTEN',
  'DATABASE_MIGRATE',
  'DATABASE_POOL_SIZE',
  'DATABASE_WORKER_POOL_SIZE',
  'DATABASE_CONNECT_TIMEOUT_MS',
  'DATABASE_STATEMENT_TIMEOUT_MS',
  'DATABASE_LOCK_TIMEOUT_MS',
  'DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS',
  'DATABASE_WAIT_SECONDS',
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'RUNTIME_API_BASE',
  'RUNTIME_API_CREDENTIAL',
  'ACTOR_ASSERTION_KEY_FILE',
  'OIDC_ISSUER',
  'OIDC_CLIENT_ID',
  'OIDC_CLIENT_SECRET',
  'OIDC_CLIENT_AUTH',
  'OIDC_CLIENT_KEY_FILE',
  'OIDC_SCOPES',
  'OIDC_ROLES_CLAIM',
  'OIDC_ROLE_MAP_FILE',
  'OIDC_RECENT_SIGN_IN_BY',
  'OIDC_REFRESH_SECONDS',
  'CONSOLE_USERS',
  'SESSION_IDLE_SECONDS',
  'SESSION_ABSOLUTE_SECONDS',
  'RECENT_SIGN_IN_SECONDS',
  'TRUSTED_PROXY_HOPS',
  'ENVIRONMENT_MARKS',
  'CONSOLE_METRICS',
  'RUNTIME_HOST',
  'RUNTIME_PORT',
  'ACTOR_ASSERTION_JWKS',
  'PLATFORM_API_BASE',
  'LEASE_SECONDS',
  'EGRESS_ALLOW',
  'EGRESS_DENY',
  'SEALING_KEY_FILE',
  'SHUTDOWN_DELAY_SECONDS',
  'RETENTION_OPERATIONS_DAYS',
  'RETENTION_ATTEMPTS_DAYS',
  'RETENTION_ARCHIVE_DIR',
] as const

/** Those whose value may be a secret. Each can come from a file instead: `OIDC_CLIENT_SECRET_FILE` names it. */
export const SECRET_VARIABLES = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_READ_URL',
  'RUNTIME_API_CREDENTIAL',
  'OIDC_CLIENT_SECRET',
  'CONSOLE_USERS',
] as const

/** The variable that names the file of a secret. */
export const fileVariable = (name: string): string => `${name}_FILE`

const KNOWN: readonly string[] = [...VARIABLES, ...SECRET_VARIABLES.map(fileVariable)]

/** Nobody else uses names that start like this, so an unknown one is a mistake even if it resembles no known name. */
const OWN_PREFIXES = [
  'OIDC_',
  'EGRESS_',
  'RUNTIME_API_',
  'ACTOR_ASSERTION_',
  'SEALING_KEY',
  'DATABASE_',
  'RETENTION_',
]

/** Kubernetes and Docker set such variables for every service that they know: `RUNTIME_SERVICE_HOST`. */
const SERVICE_LINK = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT(?:_\d+_(?:TCP|UDP)(?:_(?:ADDR|PORT|PROTO))?)?$/

/** A variable that no program reads, but that somebody probably meant for one. */
export interface MisspeltVariable {
  name: string
  /** The most similar variable; null if none is similar. */
  nearest: string | null
}

/** The first variable in the environment that is probably a misspelt setting; null if there is none. */
export function findMisspeltVariable(env: Record<string, string | undefined>): MisspeltVariable | null {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || value.trim() === '' || KNOWN.includes(name)) continue
    const upper = name.toUpperCase()
    const nearest = nearestOf(upper)
    if (nearest !== null) return { name, nearest }
    if (OWN_PREFIXES.some((prefix) => upper.startsWith(prefix)) && !SERVICE_LINK.test(upper))
      return { name, nearest: null }
  }
  return null
}

function nearestOf(name: string): string | null {
  let best: { known: string; distance: number } | null = null
  for (const known of KNOWN) {
    const distance = editDistance(name, known)
    // one mistake in five letters: in `PORT` even one letter makes another word
    if (distance > Math.floor(known.length / 5)) continue
    if (best === null || distance < best.distance) best = { known, distance }
  }
  return best?.known ?? null
}

/** The number of letters to insert, delete, replace or swap with their neighbor. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let distance = Math.min(replaced, at(previous, j) + 1, at(row, j - 1) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        distance = Math.min(distance, at(beforePrevious, j - 2) + 1)
      row.push(distance)
    }
    beforePrevious = previous
    previous = row
  }
  return at(previous, b.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity

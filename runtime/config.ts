import { readFile } from 'node:fs/promises'
import { createLocalJWKSet, createRemoteJWKSet, type JSONWebKeySet } from 'jose'
import * as z from 'zod'
import { RECENT_SIGN_IN_SECONDS } from '#contract/endpoint/permission.ts'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { fromUrl } from '#database/settings.ts'
import { parseEgressAllow, parseEgressDeny } from '#http-kit/egress.ts'
import { LOG_LEVELS } from '#http-kit/log.ts'
import {
  apiBase,
  credentials,
  csv,
  port,
  readSettings,
  SettingsError,
  variableOf,
  whole,
  whyUnreadable,
} from '#http-kit/settings.ts'
import { RETENTION_VARIABLES, retentionSettings } from './retention/run-retention.ts'

/** The database variables of a runtime replica. */
const DATABASE_VARIABLES = {
  DATABASE_URL: z.string().optional(),
  DATABASE_DIRECT_URL: z.string().optional(),
  DATABASE_READ_URL: z.string().optional(),
  DATABASE_LISTEN: z.enum(['on', 'off'], 'on or off is needed').default('on'),
  DATABASE_MIGRATE: z.enum(['on', 'off'], 'on or off is needed').default('on'),
  DATABASE_POOL_SIZE: whole(16, { min: 2, max: 500 }),
  DATABASE_WORKER_POOL_SIZE: whole(8, { min: 2, max: 500 }),
  DATABASE_CONNECT_TIMEOUT_MS: whole(10_000, { min: 100, max: 600_000 }),
  DATABASE_STATEMENT_TIMEOUT_MS: whole(15_000, { min: 100, max: 600_000 }),
  DATABASE_LOCK_TIMEOUT_MS: whole(5_000, { min: 100, max: 600_000 }),
  DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS: whole(10_000, { min: 100, max: 600_000 }),
  DATABASE_WAIT_SECONDS: whole(60, { min: 0, max: 86_400 }),
}

const Settings = z.object({
  RUNTIME_PORT: port(8081),
  RUNTIME_HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('./data'),
  ...DATABASE_VARIABLES,
  SEALING_KEY_FILE: csv
    .refine((files) => files.length <= 2, 'at most two files are possible, with a comma between them')
    .default([]),
  PLATFORM_API_BASE: apiBase(
    'the address of this runtime for plugins is needed, such as https://platform.example.org',
  ).optional(),
  EGRESS_ALLOW: z.string().default('loopback'),
  EGRESS_DENY: z.string().default(''),
  RUNTIME_API_CREDENTIAL: credentials,
  ACTOR_ASSERTION_JWKS: z.string().optional(),
  RECENT_SIGN_IN_SECONDS: whole(RECENT_SIGN_IN_SECONDS, { min: 1, max: 86_400 }),
  LEASE_SECONDS: whole(60, { min: 1, max: 9_999 }),
  SHUTDOWN_DELAY_SECONDS: whole(0, { min: 0, max: 300 }),
  ...RETENTION_VARIABLES,
  LOG_LEVEL: z.enum(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')} is needed`).default('info'),
})

/** The names of the runtime's variables. */
export const RUNTIME_VARIABLES: readonly string[] = Object.keys(Settings.shape)

/**
 * The runtime's settings, read from the environment.
 *
 * @throws SettingsError with the one line to print.
 */
export function readRuntimeSettings(env: Record<string, string | undefined>) {
  const settings = readSettings(Settings, env)
  return {
    port: settings.RUNTIME_PORT,
    host: settings.RUNTIME_HOST,
    dataDir: settings.DATA_DIR,
    database: databaseSettings(settings, env),
    sealingKeyFiles: settings.SEALING_KEY_FILE,
    platformApiBase: settings.PLATFORM_API_BASE ?? `http://127.0.0.1:${settings.RUNTIME_PORT}`,
    egressAllow: parseEgressAllow(settings.EGRESS_ALLOW),
    egressDeny: parseEgressDeny(settings.EGRESS_DENY),
    /** Each is accepted. */
    credentials: settings.RUNTIME_API_CREDENTIAL,
    actorAssertionJwks: settings.ACTOR_ASSERTION_JWKS ?? null,
    recentSignInSeconds: settings.RECENT_SIGN_IN_SECONDS,
    leaseMs: settings.LEASE_SECONDS * 1_000,
    shutdownDelayMs: settings.SHUTDOWN_DELAY_SECONDS * 1_000,
    retention: retentionSettings(settings),
    logLevel: settings.LOG_LEVEL,
  }
}

/**
 * The keys of `ACTOR_ASSERTION_JWKS`: a file, or a URL that is fetched when needed and, for an unknown key, again at
 * most once a minute.
 *
 * @throws SettingsError if the file is not a key set.
 */
export async function loadActorKeys(
  place: string,
): Promise<ReturnType<typeof createRemoteJWKSet> | ReturnType<typeof createLocalJWKSet>> {
  if (/^https?:\/\//.test(place)) {
    const url = URL.parse(place)
    if (url === null) throw new SettingsError('ACTOR_ASSERTION_JWKS is wrong: it is not a URL')
    if (url.username !== '' || url.password !== '')
      throw new SettingsError('ACTOR_ASSERTION_JWKS is wrong: a URL without user and password is needed')
    return createRemoteJWKSet(url, { cooldownDuration: 60_000, timeoutDuration: 5_000 })
  }
  const text = await readFile(place, 'utf8').catch((error: unknown) => {
    throw new SettingsError(
      `ACTOR_ASSERTION_JWKS is wrong: it is not a URL, and the file ${place} ${whyUnreadable(error)}`,
    )
  })
  const refusal = (problem: string) => new SettingsError(`ACTOR_ASSERTION_JWKS is wrong: ${place} ${problem}`)
  if (/"d"\s*:|PRIVATE KEY/.test(text))
    throw refusal(
      'has a private key; name the file that "keys:assertion --public" writes, which has the public one',
    )
  try {
    return createLocalJWKSet(parseStrictJson(text) as unknown as JSONWebKeySet)
  } catch (error) {
    throw refusal(
      `is not a key set${error instanceof StrictJsonError ? `: ${error.messageWithoutPath}` : ''}`,
    )
  }
}

/** The database settings as the program names them. */
function databaseSettings(
  settings: z.output<z.ZodObject<typeof DATABASE_VARIABLES>>,
  env: Record<string, string | undefined>,
) {
  for (const name of ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_READ_URL'] as const) {
    const url = settings[name]
    if (url === undefined) continue
    // beside the embedded database it would be another one
    if (settings.DATABASE_URL === undefined)
      throw new SettingsError(`DATABASE_URL is not set: ${name} needs it`)
    try {
      fromUrl(url, variableOf(env, name))
    } catch (error) {
      throw new SettingsError(error instanceof Error ? error.message : String(error))
    }
  }
  return {
    url: settings.DATABASE_URL ?? null,
    /** A connection that keeps its session, for migrating and listening. */
    directUrl: settings.DATABASE_DIRECT_URL ?? null,
    /** A standby for reads. */
    readUrl: settings.DATABASE_READ_URL ?? null,
    listens: settings.DATABASE_LISTEN === 'on',
    /** Whether a start may migrate the schema. */
    migrates: settings.DATABASE_MIGRATE === 'on',
    waitMs: settings.DATABASE_WAIT_SECONDS * 1_000,
    connections: { http: settings.DATABASE_POOL_SIZE, worker: settings.DATABASE_WORKER_POOL_SIZE },
    limits: {
      connectTimeoutMs: settings.DATABASE_CONNECT_TIMEOUT_MS,
      statementTimeoutMs: settings.DATABASE_STATEMENT_TIMEOUT_MS,
      lockTimeoutMs: settings.DATABASE_LOCK_TIMEOUT_MS,
      idleInTransactionTimeoutMs: settings.DATABASE_IDLE_IN_TRANSACTION_TIMEOUT_MS,
    },
  }
}

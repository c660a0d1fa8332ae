import * as z from 'zod'
import { apiBase, credentials, port, readSettings, SettingsError } from '#http-kit/settings.ts'
import { LOG_LEVELS } from '#http-kit/log.ts'
import type { LogLevel } from '#http-kit/log.ts'
import type { Rate } from '#http-kit/token-bucket.ts'
import { authEnvironment, authSettingsOf } from './auth-settings.ts'
import type { AuthSettings } from './auth-settings.ts'

export interface ConsoleSettings {
  port: number
  /** The address to listen on; undefined: all addresses. */
  host?: string | undefined
  /** The file of the key that signs actor assertions; null: one is generated in the data directory. */
  assertionKeyFile?: string | null
  auth: AuthSettings
  /** A separate runtime; null for the embedded one. */
  runtime: { baseUrl: string; credential: string } | null
  logLevel: LogLevel
  /** Rate limits per person; default: those of the rate-limit middleware. */
  rates?: { reads: Rate; writes: Rate }
}

const schema = z.object({
  ...authEnvironment,
  HOST: z.string().optional(),
  PORT: port(8080),
  ACTOR_ASSERTION_KEY_FILE: z.string().nullable().default(null),
  RUNTIME_API_BASE: apiBase(
    'the address of a runtime is needed, such as https://platform.example.org',
  ).optional(),
  RUNTIME_API_CREDENTIAL: credentials,
  LOG_LEVEL: z.enum(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')} is needed`).default('warn'),
})

/** The names of the console's variables. */
export const CONSOLE_VARIABLES: readonly string[] = Object.keys(schema.shape)

/**
 * The settings of the console, as `docs/operating/settings.md` lists them.
 *
 * @throws SettingsError with one line to print.
 */
export function readConsoleSettings(env: Record<string, string | undefined>): ConsoleSettings {
  const read = readSettings(schema, env)
  return {
    port: read.PORT,
    host: read.HOST,
    assertionKeyFile: read.ACTOR_ASSERTION_KEY_FILE,
    auth: authSettingsOf(read, `http://localhost:${read.PORT}`),
    runtime: runtimeOf(read.RUNTIME_API_BASE, read.RUNTIME_API_CREDENTIAL),
    logLevel: read.LOG_LEVEL,
  }
}

function runtimeOf(base: string | undefined, [credential]: readonly string[]): ConsoleSettings['runtime'] {
  if (base === undefined) return null
  if (credential === undefined)
    throw new SettingsError('RUNTIME_API_CREDENTIAL is not set: RUNTIME_API_BASE needs it')
  return { baseUrl: `${base}/bundle-runtime/api`, credential }
}

import * as z from 'zod'
import { ENVIRONMENT_COLORS, EnvironmentMark } from '#contract/console-api/rows.ts'
import { LOG_LEVELS } from '#http-kit/log.ts'
import type { LogLevel } from '#http-kit/log.ts'
import {
  apiBase,
  credentials,
  jsonList,
  port,
  readSettings,
  SettingsError,
  optionalSecret,
  originUrl,
} from '#http-kit/settings.ts'
import type { Rate } from '#http-kit/token-bucket.ts'
import { mayBePlainHttp } from './oidc/client.ts'
import { ConsoleUsers } from './oidc/users.ts'
import type { ConfiguredUser } from './oidc/users.ts'
import type { SessionLimits } from './store/sessions.ts'

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

const seconds = (fallback: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,6}$/, 'a number of seconds is needed')
    .transform(Number)
    .default(fallback)

const environmentMarks = jsonList(
  EnvironmentMark,
  `a JSON list of {"environmentKey","word","color"} is needed, with the colors ${ENVIRONMENT_COLORS.join(', ')}`,
)

/** The variables of sign-in and session, for the environment schema of the BFF. */
export const authEnvironment = {
  PUBLIC_URL: originUrl.optional(),
  OIDC_ISSUER: z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:/.test(text), 'the URL of an OpenID provider is needed')
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: optionalSecret,
  OIDC_ROLES_CLAIM: z.string().default('roles'),
  CONSOLE_USERS: ConsoleUsers.nullable().default(null),
  /** Maximum idle time of a session. */
  SESSION_IDLE_SECONDS: seconds(15 * 60),
  /** Maximum lifetime of a session. */
  SESSION_ABSOLUTE_SECONDS: seconds(8 * 60 * 60),
  /** How long after a sign-in a person may take over operations. */
  RECENT_SIGN_IN_SECONDS: seconds(5 * 60),
  /** A JSON list of environments, each with the word and the color that it is marked with. */
  ENVIRONMENT_MARKS: environmentMarks.default([
    { environmentKey: 'production', word: 'Production', color: 'red' },
  ]),
  /** Reverse proxies in front, each of which appends to `X-Forwarded-For`. */
  TRUSTED_PROXY_HOPS: z.string().regex(/^\d$/, 'a number from 0 to 9 is needed').transform(Number).default(0),
  /** Whether `GET /metrics` is served, without a session, to everybody who reaches the port. */
  CONSOLE_METRICS: z.enum(['on', 'off'], 'on or off is needed').default('off'),
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

/** The settings of sign-in and session. */
export interface AuthSettings {
  /** The console's origin as browsers see it. */
  publicOrigin: string
  /** Null: the embedded identity provider. */
  externalIdp: { issuer: string; clientId: string; clientSecret: string } | null
  rolesClaim: string
  /** The embedded provider's users; null: generated at first start. */
  users: ConfiguredUser[] | null
  limits: SessionLimits
  /** How long a sign-in counts as recent. */
  recentSignInSeconds: number
  trustedProxyHops: number
  /** Whether `GET /metrics` is served; default false. */
  servesMetrics?: boolean
  /** Default: none. */
  environmentMarks?: readonly EnvironmentMark[]
}

/**
 * Combines the variables.
 *
 * @param defaultOrigin used if `PUBLIC_URL` is not set.
 * @throws SettingsError if they are incompatible.
 */
export function authSettingsOf(
  env: z.output<z.ZodObject<typeof authEnvironment>>,
  defaultOrigin: string,
): AuthSettings {
  return {
    publicOrigin: env.PUBLIC_URL ?? defaultOrigin,
    externalIdp: externalIdpOf(env),
    rolesClaim: env.OIDC_ROLES_CLAIM,
    users: env.CONSOLE_USERS,
    limits: { idleSeconds: env.SESSION_IDLE_SECONDS, absoluteSeconds: env.SESSION_ABSOLUTE_SECONDS },
    recentSignInSeconds: env.RECENT_SIGN_IN_SECONDS,
    trustedProxyHops: env.TRUSTED_PROXY_HOPS,
    servesMetrics: env.CONSOLE_METRICS === 'on',
    environmentMarks: env.ENVIRONMENT_MARKS,
  }
}

function externalIdpOf(env: z.output<z.ZodObject<typeof authEnvironment>>): AuthSettings['externalIdp'] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = env
  if (issuer === undefined) return null
  if (clientId === undefined) throw new SettingsError('OIDC_CLIENT_ID is not set: OIDC_ISSUER needs it')
  if (clientSecret === null) throw new SettingsError('OIDC_CLIENT_SECRET is not set: OIDC_ISSUER needs it')
  const url = new URL(issuer)
  if (url.protocol === 'http:' && !mayBePlainHttp(url)) {
    throw new SettingsError(
      `OIDC_ISSUER is wrong: https is needed, except on this machine (it is "${url.origin}")`,
    )
  }
  return { issuer, clientId, clientSecret }
}

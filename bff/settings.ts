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
  wholeIfSet,
} from '#http-kit/settings.ts'
import type { Rate } from '#http-kit/token-bucket.ts'
import { mayBePlainHttp } from './oidc/client.ts'
import { CLIENT_AUTH_METHODS, readClientKey } from './oidc/client-auth.ts'
import type { ClientCredentials } from './oidc/client-auth.ts'
import { ConsoleUsers } from './oidc/users.ts'
import type { ConfiguredUser } from './oidc/users.ts'
import { readRoleMap, type RoleMap } from './roles.ts'
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

const seconds = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, 'a number of seconds is needed')
  .transform(Number)

const environmentMarks = jsonList(
  EnvironmentMark,
  `a JSON list of {"environmentKey","word","color"} is needed, with the colors ${ENVIRONMENT_COLORS.join(', ')}`,
).refine(
  (marks) => new Set(marks.map((mark) => mark.environmentKey)).size === marks.length,
  'each environment can be marked only once',
)

const SCOPES_NEEDED = 'scopes with spaces between them are needed, openid among them'
const RECENT_SIGN_IN_BY = ['auth_time', 'iat'] as const

/** How often the provider is asked, unless OIDC_REFRESH_SECONDS says otherwise. */
export const ASK_SECONDS = 60

/** Whether a URL has neither user, query, fragment nor the path of the provider's document. */
function isIssuer(text: string): boolean {
  const { username, password, pathname } = new URL(text)
  return username === '' && password === '' && !/[?#]/.test(text) && !pathname.includes('/.well-known/')
}

/** The variables of sign-in and session, for the environment schema of the BFF. */
export const authEnvironment = {
  PUBLIC_URL: originUrl.optional(),
  OIDC_ISSUER: z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:/.test(text), {
      error: 'the URL of an OpenID provider is needed',
      abort: true,
    })
    .refine(isIssuer, 'the issuer is needed, without user, query and /.well-known/openid-configuration')
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: optionalSecret,
  /** How the console authenticates at the token endpoint. */
  OIDC_CLIENT_AUTH: z
    .enum(CLIENT_AUTH_METHODS, `one of ${CLIENT_AUTH_METHODS.join(', ')} is needed`)
    .optional(),
  /** The file of the private key of `private_key_jwt`. */
  OIDC_CLIENT_KEY_FILE: z.string().optional(),
  OIDC_SCOPES: z
    .string()
    .regex(/^[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*$/, SCOPES_NEEDED)
    .refine((text) => text.split(' ').includes('openid'), SCOPES_NEEDED)
    .optional(),
  /** The name of the claim, or names with dots between them, each of a claim in the one before. */
  OIDC_ROLES_CLAIM: z
    .string()
    .refine((name) => name.split('.').every((part) => part !== ''), 'a name is needed between all dots')
    .optional(),
  /** The file with the roles of each value of the roles claim. */
  OIDC_ROLE_MAP_FILE: z.string().optional(),
  /** What proves a recent sign-in: `auth_time`, or `iat` too if the provider sends no usable `auth_time`. */
  OIDC_RECENT_SIGN_IN_BY: z
    .enum(RECENT_SIGN_IN_BY, `one of ${RECENT_SIGN_IN_BY.join(', ')} is needed`)
    .optional(),
  /** How often a refresh token is used to ask whether a person may still use the console, and with which roles. */
  OIDC_REFRESH_SECONDS: wholeIfSet({ min: 0, max: 86_400 }),
  CONSOLE_USERS: ConsoleUsers.nullable().default(null),
  /** Maximum idle time of a session; default: 15 minutes, or its lifetime if that is shorter. */
  SESSION_IDLE_SECONDS: seconds.optional(),
  /** Maximum lifetime of a session. */
  SESSION_ABSOLUTE_SECONDS: seconds.default(8 * 60 * 60),
  /** How long after a sign-in a person may take over operations. */
  RECENT_SIGN_IN_SECONDS: seconds.default(5 * 60),
  /** A JSON list of environments, each with the word and the color that it is marked with. */
  ENVIRONMENT_MARKS: environmentMarks.default([
    { environmentKey: 'production', word: 'Production', color: 'red' },
  ]),
  /** Reverse proxies in front, each of which appends to `X-Forwarded-For`. */
  TRUSTED_PROXY_HOPS: z.string().regex(/^\d$/, 'a number from 0 to 9 is needed').transform(Number).default(0),
  /** Whether `GET /metrics` is served, without a session, to everybody who reaches the port. */
  CONSOLE_METRICS: z.enum(['on', 'direct', 'off'], 'on, direct or off is needed').default('off'),
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

/** A configured OpenID provider. */
export interface ExternalIdp extends ClientCredentials {
  issuer: string
  clientId: string
  /** Default: `openid profile`. */
  scopes?: string
  /** What proves a recent sign-in; default: `auth_time`. */
  recentSignInBy?: (typeof RECENT_SIGN_IN_BY)[number]
  /** How often the provider is asked about a person, if it gives a refresh token; 0: never; default: 60. */
  askSeconds?: number
}

/** The settings of sign-in and session. */
export interface AuthSettings {
  /** The console's origin as browsers see it. */
  publicOrigin: string
  /** Null: the embedded identity provider. */
  externalIdp: ExternalIdp | null
  rolesClaim: string
  /** Default: the values of the claim are roles themselves. */
  roleMap?: RoleMap | null
  /** The embedded provider's users; null: generated at first start. */
  users: ConfiguredUser[] | null
  limits: SessionLimits
  /** How long a sign-in counts as recent. */
  recentSignInSeconds: number
  trustedProxyHops: number
  /** Whether `GET /metrics` is served; `direct`: not through a proxy. Default false. */
  servesMetrics?: boolean | 'direct'
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
    rolesClaim: env.OIDC_ROLES_CLAIM ?? 'roles',
    roleMap: env.OIDC_ROLE_MAP_FILE === undefined ? null : readRoleMap(env.OIDC_ROLE_MAP_FILE),
    users: env.CONSOLE_USERS,
    limits: sessionLimitsOf(env),
    recentSignInSeconds: env.RECENT_SIGN_IN_SECONDS,
    trustedProxyHops: env.TRUSTED_PROXY_HOPS,
    servesMetrics: env.CONSOLE_METRICS === 'direct' ? 'direct' : env.CONSOLE_METRICS === 'on',
    environmentMarks: env.ENVIRONMENT_MARKS,
  }
}

const OIDC_VARIABLES = (Object.keys(authEnvironment) as (keyof typeof authEnvironment)[]).filter((name) =>
  name.startsWith('OIDC_'),
)

const IDLE_SECONDS = 15 * 60

function sessionLimitsOf({
  SESSION_IDLE_SECONDS: idleSeconds,
  SESSION_ABSOLUTE_SECONDS: absoluteSeconds,
}: z.output<z.ZodObject<typeof authEnvironment>>): SessionLimits {
  if (idleSeconds === undefined)
    return { idleSeconds: Math.min(IDLE_SECONDS, absoluteSeconds), absoluteSeconds }
  if (idleSeconds > absoluteSeconds)
    throw new SettingsError(
      `SESSION_IDLE_SECONDS is wrong: at most SESSION_ABSOLUTE_SECONDS (${absoluteSeconds}) is possible, after which each session ends (it is "${idleSeconds}")`,
    )
  return { idleSeconds, absoluteSeconds }
}

function externalIdpOf(env: z.output<z.ZodObject<typeof authEnvironment>>): ExternalIdp | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = env
  if (issuer === undefined) {
    // people would sign in with the embedded provider instead, whose tokens have roles in the claim "roles"
    const other = OIDC_VARIABLES.find((name) => env[name] != null)
    if (other !== undefined)
      throw new SettingsError(`OIDC_ISSUER is not set: ${other} needs it; set it, or remove ${other}`)
    return null
  }
  if (clientId === undefined) throw new SettingsError('OIDC_CLIENT_ID is not set: OIDC_ISSUER needs it')
  const url = new URL(issuer)
  if (url.protocol === 'http:' && !mayBePlainHttp(url)) {
    throw new SettingsError(
      `OIDC_ISSUER is wrong: https is needed, except on this machine (it is "${url.origin}")`,
    )
  }
  return {
    issuer,
    clientId,
    ...credentialsOf(env),
    scopes: env.OIDC_SCOPES ?? 'openid profile',
    recentSignInBy: env.OIDC_RECENT_SIGN_IN_BY ?? 'auth_time',
    askSeconds: env.OIDC_REFRESH_SECONDS ?? ASK_SECONDS,
  }
}

function credentialsOf(env: z.output<z.ZodObject<typeof authEnvironment>>): ClientCredentials {
  const { OIDC_CLIENT_SECRET: clientSecret, OIDC_CLIENT_KEY_FILE: keyFile } = env
  const clientAuth = env.OIDC_CLIENT_AUTH ?? 'client_secret_basic'
  if (clientAuth === 'private_key_jwt') {
    if (keyFile === undefined)
      throw new SettingsError('OIDC_CLIENT_KEY_FILE is not set: OIDC_CLIENT_AUTH=private_key_jwt needs it')
    return { clientAuth, clientSecret: null, clientKey: readClientKey(keyFile) }
  }
  if (keyFile !== undefined)
    throw new SettingsError('OIDC_CLIENT_KEY_FILE is wrong: it needs OIDC_CLIENT_AUTH=private_key_jwt')
  if (clientSecret === null) throw new SettingsError('OIDC_CLIENT_SECRET is not set: OIDC_ISSUER needs it')
  return { clientAuth, clientSecret }
}

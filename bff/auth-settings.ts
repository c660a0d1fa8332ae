import * as z from 'zod'
import { optionalSecret, originUrl, SettingsError } from '#http-kit/settings.ts'
import { mayBePlainHttp } from './oidc/client.ts'
import { ConsoleUsers } from './oidc/users.ts'
import type { ConfiguredUser } from './oidc/users.ts'
import type { SessionLimits } from './store/sessions/find-sessions.ts'

const seconds = (fallback: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,6}$/, 'a number of seconds is needed')
    .transform(Number)
    .default(fallback)

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
  /** Reverse proxies in front, each of which appends to `X-Forwarded-For`. */
  TRUSTED_PROXY_HOPS: z.string().regex(/^\d$/, 'a number from 0 to 9 is needed').transform(Number).default(0),
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

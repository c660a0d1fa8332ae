import { exportJWK, generateKeyPair } from 'jose'
import type { JWK } from 'jose'
import { errors, interactionPolicy, Provider } from 'oidc-provider'
import type { AdapterFactory, Configuration } from 'oidc-provider'
import * as z from 'zod'
import { isUnavailable } from '#database/unreachable.ts'
import type { Log } from '#http-kit/log.ts'
import { persistentSecret } from '#http-kit/secret-files.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { findUser } from '../store/idp-users.ts'
import { SIGN_IN_SECONDS } from '../store/sign-ins.ts'
import type { BffDb } from '../store/tables.ts'
import { languageOf } from './page-texts.ts'
import { noticePage } from './pages.ts'

/** The path of the embedded identity provider on the console's origin. */
export const IDP_PATH = '/idp'
export const EMBEDDED_CLIENT_ID = 'bundle-console'

interface ProviderOptions {
  db: BffDb
  adapter: AdapterFactory
  publicOrigin: string
  signingKey: JWK
  /** Known only to this process, which redeems the codes itself over loopback. */
  clientSecret: string
  log: Log
}

/** The embedded OpenID provider: one client, and only the authorization code flow with PKCE. */
export function createProvider(options: ProviderOptions): Provider {
  const provider = new Provider(`${options.publicOrigin}${IDP_PATH}`, configurationOf(options))
  // idp-front.ts sets the proxy headers and drops those of clients
  provider.proxy = true
  provider.on('server_error', (_, error) => options.log.error('the identity provider failed', {}, error))
  // otherwise Koa would print the error too
  provider.silent = true
  // the library allows any origin to read several endpoints and has no setting for that; no other origin needs them
  provider.use(async (ctx, next) => {
    await next()
    for (const name of Object.keys(ctx.response.headers))
      if (name.toLowerCase().startsWith('access-control-')) ctx.remove(name)
  })
  return provider
}

function configurationOf({
  db,
  adapter,
  publicOrigin,
  signingKey,
  clientSecret,
}: ProviderOptions): Configuration {
  const isHttps = publicOrigin.startsWith('https:')
  // the prefix __Host- requires the path "/", but these cookies have their own path
  const prefix = isHttps ? '__Secure-idp' : `idp_${new URL(publicOrigin).port || '80'}`
  // Not signed: the values are random ids of database records, so a signature would add nothing, and all
  // replicas would have to share its key. Lax, because a sign-in may start from a link on another site.
  const cookie = { httpOnly: true, sameSite: 'lax', signed: false, secure: isHttps } as const
  const policy = interactionPolicy.base()
  // the only client is the console, so no consent is needed
  policy.remove('consent')
  return {
    adapter,
    jwks: { keys: [{ ...signingKey, kty: 'EC' }] },
    enabledJWA: { idTokenSigningAlgValues: [ID_TOKEN_ALGORITHM] },
    clients: [
      {
        client_id: EMBEDDED_CLIENT_ID,
        client_secret: clientSecret,
        redirect_uris: [`${publicOrigin}/auth/callback`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_basic',
        id_token_signed_response_alg: ID_TOKEN_ALGORITHM,
        require_auth_time: true,
        application_type: 'web',
      },
    ],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic'],
    scopes: ['openid', 'profile'],
    claims: { openid: ['sub'], profile: ['name', 'roles'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      resourceIndicators: { enabled: false },
    },
    clientBasedCORS: () => false,
    cookies: {
      names: {
        session: `${prefix}_session`,
        interaction: `${prefix}_interaction`,
        resume: `${prefix}_resume`,
      },
      long: cookie,
      short: cookie,
      keys: [],
    },
    ttl: {
      AccessToken: 60,
      AuthorizationCode: 60,
      Grant: SIGN_IN_SECONDS,
      IdToken: 120,
      Interaction: SIGN_IN_SECONDS,
      Session: SIGN_IN_SECONDS,
    },
    interactions: { url: (_, interaction) => interactionPath(interaction.uid), policy },
    async loadExistingGrant(ctx) {
      const { session, client } = ctx.oidc
      if (session?.accountId === undefined || client === undefined) return undefined
      const grant = new ctx.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid profile')
      await grant.save()
      return grant
    },
    async findAccount(_, sub) {
      const user = await findUser(db, { sub })
      if (user === null) return undefined
      return { accountId: sub, claims: () => ({ sub, name: user.name, roles: user.roles }) }
    },
    renderError(ctx, _, error) {
      const isAway = isUnavailable(error)
      if (isAway) ctx.status = 503
      const other = error instanceof errors.SessionNotFound ? 'expired' : 'failed'
      ctx.type = 'html'
      ctx.body = noticePage({
        language: languageOf(ctx.get('accept-language')),
        notice: isAway ? 'unreachable' : other,
      })
    },
  }
}

export function interactionPath(uid: string): string {
  return `${IDP_PATH}/interaction/${encodeURIComponent(uid)}`
}

/** The algorithm with which the embedded identity provider signs ID tokens. */
const ID_TOKEN_ALGORITHM = 'ES256'

const KEY_FILE = 'idp-signing-key.json'
const PrivateJwk = z.looseObject({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
})

/**
 * The signing key of the embedded identity provider, stored in the data directory. An ID token is read once, by
 * the process that signed it, so replicas with separate directories may have different keys.
 *
 * @throws SettingsError if the file does not contain such a key.
 */
export async function idpSigningKey(directory: string): Promise<JWK> {
  const text = await persistentSecret({ directory, file: KEY_FILE, make: makeKey })
  const key = PrivateJwk.safeParse(parse(text))
  if (key.success) return { ...key.data, alg: ID_TOKEN_ALGORITHM, use: 'sig' }
  throw new SettingsError(`DATA_DIR is wrong: ${KEY_FILE} in it is not a P-256 key; restore or remove it`)
}

async function makeKey(): Promise<string> {
  const { privateKey } = await generateKeyPair(ID_TOKEN_ALGORITHM, { extractable: true })
  return JSON.stringify(await exportJWK(privateKey))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import type { AuthSettings, ExternalIdp } from '#bff/settings.ts'
import { createIdpClient, isClientRefused } from '#bff/oidc/client.ts'
import { whyNoResponse } from '#http-kit/outbound-result.ts'
import { ok, fail, skip, warn } from './finding.ts'
import type { Finding } from './finding.ts'
import type { Deployment } from '../deployment.ts'

const TIMEOUT_MS = 5_000

/**
 * Whether the OpenID provider can be reached, is the one that is configured, accepts the console as its client, and offers
 * what sign-ins, sign-outs and recent sign-ins need.
 */
export async function checkProvider({ console }: Deployment): Promise<Omit<Finding, 'check'>> {
  if (console === null) return skip('only consoles use a provider')
  const idp = console.auth.externalIdp
  if (idp === null) return ok('the console uses its own provider')
  const url = `${idp.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { host } = new URL(idp.issuer)
  let document: unknown
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
    if (response.status !== 200)
      return fail(`${host} returns status ${response.status} for its configuration; check OIDC_ISSUER`)
    document = await response.json()
  } catch (error) {
    return fail(
      `${host} cannot be reached: ${whyNoResponse(error) ?? 'no valid response'}; check OIDC_ISSUER, the network and NODE_EXTRA_CA_CERTS`,
    )
  }
  const issuer =
    typeof document === 'object' && document !== null && 'issuer' in document ? document.issuer : null
  if (issuer !== idp.issuer)
    return fail(`${host} calls itself ${JSON.stringify(issuer)}; set OIDC_ISSUER to exactly that`)
  // an object, because it has an issuer
  const metadata = document as Record<string, unknown>
  const problem = await clientProblem(console.auth, idp, metadata)
  if (problem !== null) return fail(`${host} ${problem}`)
  const missing = missingIn(console.auth, metadata)
  if (missing.length > 0) return warn(`${host} accepts the console, but ${missing.join('; ')}`)
  return ok(`${host} responds, is the configured issuer, and accepts the console`)
}

/** Why the provider does not accept the console as its client; null if it does. */
async function clientProblem(
  auth: AuthSettings,
  idp: ExternalIdp,
  metadata: Record<string, unknown>,
): Promise<string | null> {
  const { clientAuth = 'client_secret_basic' } = idp
  const methods = textsIn(metadata['token_endpoint_auth_methods_supported']) ?? ['client_secret_basic']
  if (!methods.includes(clientAuth))
    return `does not list ${clientAuth}; set OIDC_CLIENT_AUTH to one of ${methods.join(', ')}`
  const { publicOrigin, rolesClaim } = auth
  const client = createIdpClient({ ...idp, publicOrigin, rolesClaim, loopback: null })
  const state = 'doctor'
  const callback = new URL(`${publicOrigin}/auth/callback`)
  // no provider has issued this code: one that accepts the client says so, and one that does not says that instead
  callback.search = new URLSearchParams({ code: 'doctor', state, iss: idp.issuer }).toString()
  try {
    await client.redeem(callback, { state, browser: 'doctor' })
  } catch (error) {
    if (isClientRefused(error))
      return 'refuses the console as its client; check OIDC_CLIENT_ID, the secret or key, and OIDC_CLIENT_AUTH'
  }
  return null
}

/** What the provider does not offer, and what is not used beside it, with the consequence. */
function missingIn({ rolesClaim, users }: AuthSettings, metadata: Record<string, unknown>): string[] {
  const claims = textsIn(metadata['claims_supported'])
  const [topClaim = rolesClaim] = rolesClaim.split('.')
  const lacksClaim = (name: string) => claims !== null && !claims.includes(name)
  return [
    ...(lacksClaim(topClaim) && lacksClaim(rolesClaim)
      ? [`does not list the claim ${topClaim}; without it nobody has a role (OIDC_ROLES_CLAIM)`]
      : []),
    ...(lacksClaim('auth_time')
      ? [
          'does not list the claim auth_time; without it nobody can take over operations (OIDC_RECENT_SIGN_IN_BY)',
        ]
      : []),
    ...(metadata['end_session_endpoint'] === undefined
      ? ['has no end_session_endpoint, so a sign-out does not end the session there']
      : []),
    ...(users === null ? [] : ['the users of CONSOLE_USERS cannot sign in beside OIDC_ISSUER; remove them']),
  ]
}

const textsIn = (value: unknown): string[] | null =>
  Array.isArray(value) ? value.filter((text) => typeof text === 'string') : null

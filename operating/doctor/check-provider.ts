import { ok, fail, skip } from './finding.ts'
import type { Finding } from './finding.ts'
import type { Deployment } from '../deployment.ts'

const TIMEOUT_MS = 5_000

/** Whether the OpenID provider can be reached and is the one that is configured. */
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
      `${host} cannot be reached: ${reasonOf(error)}; check OIDC_ISSUER, the network and NODE_EXTRA_CA_CERTS`,
    )
  }
  const issuer =
    typeof document === 'object' && document !== null && 'issuer' in document ? document.issuer : null
  if (issuer !== idp.issuer)
    return fail(`${host} calls itself ${JSON.stringify(issuer)}; set OIDC_ISSUER to exactly that`)
  return ok(`${host} responds and is the configured issuer`)
}

/** The code of a network error, such as ECONNREFUSED; no text of the other side. */
export function reasonOf(error: unknown): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code
    if (cause.name === 'TimeoutError') return 'no response within five seconds'
  }
  return 'no valid response'
}

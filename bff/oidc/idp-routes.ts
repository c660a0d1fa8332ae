import { IDP_PATH } from './provider.ts'

/** `begin` starts a sign-in and writes a record; `step` is any other request. */
export type IdpRouteKind = 'begin' | 'step'

interface IdpRoute {
  path: RegExp
  methods: readonly string[]
  kind: IdpRouteKind
}

const route = (path: string, methods: readonly string[], kind: IdpRouteKind = 'step'): IdpRoute => ({
  path: new RegExp(`^${IDP_PATH}${path}$`),
  methods,
  kind,
})

/** Only what a sign-in needs; the provider library serves more. */
const ROUTES: readonly IdpRoute[] = [
  // HEAD would also write a record
  route('/auth', ['GET'], 'begin'),
  route('/auth/[\\w-]+', ['GET']),
  route('/interaction/[^/]+', ['GET', 'POST']),
  route('/token', ['POST']),
  route('/me', ['GET']),
  route('/jwks', ['GET', 'HEAD']),
  route('/\\.well-known/openid-configuration', ['GET', 'HEAD']),
]

/** Longer than any of our addresses; the provider stores the parameters of a sign-in. */
const MAX_TARGET_LENGTH = 2_048

/** The kind of route of a request, or the status to refuse it with. */
export function matchIdpRoute(method: string, target: string): IdpRouteKind | 404 | 405 | 414 {
  if (target.length > MAX_TARGET_LENGTH) return 414
  const path = target.split('?', 1)[0] ?? ''
  const found = ROUTES.find((one) => one.path.test(path))
  if (found === undefined) return 404
  return found.methods.includes(method) ? found.kind : 405
}

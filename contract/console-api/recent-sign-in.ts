import type { EndpointRow } from '#contract/endpoint/endpoint.ts'
import type { RuntimeApi } from '#contract/runtime-api/rows.ts'

/** The failure code of a request whose person signed in too long ago; signing in again solves it. */
export const RECENT_SIGN_IN_REQUIRED = 'RECENT_SIGN_IN_REQUIRED'

/** The requests that cannot be undone, so their person must have signed in recently; given the body as received. */
const NEEDS_RECENT_SIGN_IN: { readonly [Name in keyof RuntimeApi]?: (body: unknown) => boolean } = {
  'POST /operations/{operationId}/takeover': () => true,
  'POST /batches': (body) =>
    typeof body === 'object' && body !== null && 'action' in body && body.action === 'TAKEOVER',
}

/** Whether the person of this request must have signed in recently (docs/decisions/0034). */
export function needsRecentSignIn(name: keyof RuntimeApi, body: unknown): boolean {
  return NEEDS_RECENT_SIGN_IN[name]?.(body) ?? false
}

/** The rows of the console API for these requests: the runtime's, with the code that only the console returns. */
export function withRecentSignInCode(
  rows: RuntimeApi,
): Pick<RuntimeApi, 'POST /operations/{operationId}/takeover' | 'POST /batches'> {
  const added = <Row extends EndpointRow>(row: Row): Row => ({
    ...row,
    codes: [...row.codes, RECENT_SIGN_IN_REQUIRED],
  })
  return {
    'POST /operations/{operationId}/takeover': added(rows['POST /operations/{operationId}/takeover']),
    'POST /batches': added(rows['POST /batches']),
  }
}

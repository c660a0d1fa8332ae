import { Hono } from 'hono'
import { serviceAccountApi } from '#contract/console-api/service-accounts.ts'
import type { Recorder } from '../audit/recorder.ts'
import type { ServiceAccounts } from '../service-accounts/service-accounts.ts'
import type { SessionVariables } from '../session/sessions.ts'
import { addOwnRow } from './own-rows.ts'
import type { OwnRequest } from './own-rows.ts'

type Rows = typeof serviceAccountApi

/** The routes of the service accounts, which the console serves itself. */
export function serviceAccountRoutes(
  accounts: ServiceAccounts,
  options: { recorder: Pick<Recorder, 'refused'>; recentSignInSeconds: number },
): Hono<{ Variables: SessionVariables }> {
  const app = new Hono<{ Variables: SessionVariables }>()
  const add = <Name extends keyof Rows>(
    name: Name,
    handle: (request: OwnRequest<Rows[Name]>) => Promise<object>,
  ) => addOwnRow<Rows[Name]>(app, { name, row: serviceAccountApi[name] }, handle, options)

  add('GET /service-accounts', async () => ({ items: await accounts.list(), nextCursor: null }))
  add('POST /service-accounts', ({ body, idempotencyKey, ...by }) =>
    accounts.create(by, body, idempotencyKey),
  )
  add('PUT /service-accounts/{accountId}', ({ params: { accountId }, body: { roles }, ...by }) =>
    accounts.saveRoles(by, accountId, roles),
  )
  add('DELETE /service-accounts/{accountId}', async ({ params: { accountId }, ...by }) => {
    await accounts.remove(by, accountId)
    return { accountId }
  })
  add(
    'POST /service-accounts/{accountId}/tokens',
    ({ params: { accountId }, body: { days }, idempotencyKey, ...by }) =>
      accounts.createToken(by, accountId, { days, idempotencyKey }),
  )
  add('DELETE /service-accounts/{accountId}/tokens/{tokenId}', ({ params, ...by }) =>
    accounts.revokeToken(by, params.accountId, params.tokenId),
  )
  return app
}

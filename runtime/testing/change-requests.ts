import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { ChangePlan, ChangeRequest, ChangeRequestDetail } from '#contract/runtime-api/change-requests.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { InboxNotification } from '#contract/runtime-api/inbox.ts'
import { bindingOf, bundleOf, locatorOf, moduleOf, startRuleHarness, TEXT, wrapped } from './rules.ts'
import { until } from './stream.ts'

const secret = { ...TEXT, isSensitive: true } as const
/** Its plugin `shops` does not read the password. */
export const shop = bundleOf('shop', {
  resources: [
    moduleOf('main', {
      name: TEXT,
      other: TEXT,
      password: secret,
      limits: { kind: 'DATA', schema: { type: 'object' } },
    }),
  ],
  plugins: [bindingOf('shops', 1, { main: { reads: ['name', 'other', 'limits'] } })],
})
const next = { ...shop, version: '2.0.0' }
/** No longer hides the password. */
const open = {
  ...bundleOf('shop', {
    resources: [moduleOf('main', { name: TEXT, other: TEXT, password: TEXT })],
    plugins: [bindingOf('shops', 1, { main: { reads: ['name', 'other'] } })],
  }),
  version: '3.0.0',
}
export const MAIN = locatorOf(shop, 'main')
export const hub = bundleOf('hub', { resources: [moduleOf('relay', { name: TEXT })] })
export const RELAY = locatorOf(hub, 'relay')

export const changesOf = (properties: JsonObject): Changes => ({ [MAIN]: wrapped(properties) })

/** A runtime with these bundles, and what tests do with change requests there. */
export async function startShops(options: Parameters<typeof startRuleHarness>[0] = {}) {
  const deps = await startRuleHarness(options)
  await deps.register('shops')
  await deps.publish(shop, next, open, hub)

  const installed = async (properties: JsonObject = { name: 'a', other: 'a' }, scope = deps.newScope()) => ({
    scope,
    id: await deps.installed(shop, { scope, properties: { [MAIN]: wrapped(properties) } }),
  })
  const send = (
    path: string,
    body: JsonObject,
    more: { actor?: string; grants?: Grant[]; method?: string } = {},
  ) => deps.http.call(path, { method: 'POST', body, ...more })

  async function propose(scope: Scope, changes: Changes, more: JsonObject = {}): Promise<ChangeRequest> {
    const { snapshotVersion } = await deps.configuration(scope)
    const body = {
      kind: 'CONFIGURE',
      title: 'New name',
      scope: { ...scope },
      input: { snapshotVersion, changes },
    }
    return requested({ ...body, submit: true, ...more })
  }
  async function requested(body: JsonObject): Promise<ChangeRequest> {
    const data = await deps.ok('/change-requests', { method: 'POST', body })
    return ChangeRequest.parse(data['changeRequest'])
  }
  const read = async (id: string, actor = 'ada') =>
    ChangeRequestDetail.parse(await deps.ok(`/change-requests/${id}`, { actor }))
  const planOf = async (id: string) => ChangePlan.parse(await deps.ok(`/change-requests/${id}/plan`, {}))
  const approve = async (id: string, actor: string, more: { comment?: string } = {}) => {
    const { revision } = await read(id)
    const { effect } = await planOf(id)
    return send(`/change-requests/${id}/approve`, { revision, effect, ...more }, { actor })
  }
  const apply = async (id: string, more: JsonObject = {}, as: { actor?: string; grants?: Grant[] } = {}) => {
    const { revision } = await read(id)
    const { planToken } = await planOf(id)
    return send(`/change-requests/${id}/apply`, { revision, planToken, ...more }, as)
  }
  const state = async (id: string) => (await read(id)).state
  /** Until the runner tries to apply it. Who tries it locks it, which its row shows even if nothing comes of it. */
  const isTried = async (id: string): Promise<void> => {
    const lock = async () =>
      (
        await sql`select xmax::text from runtime.change_request where change_request_id = ${id}`.execute(
          deps.db,
        )
      ).rows[0]
    const before = await lock()
    await until(async () => !isDeepStrictEqual(await lock(), before))
  }
  const policy = async (environmentKey: string, requiredFor: string[], approvals = 1) => {
    const { updatedAt } = await deps.ok(`/change-policies/${environmentKey}`, {})
    const body = { requiredFor, approvals, updatedAt: updatedAt ?? null }
    return deps.ok(`/change-policies/${environmentKey}`, { method: 'PUT', body })
  }
  /** A freeze of configuration for all time, unless `more` says otherwise. */
  const freeze = (name: string, more: JsonObject) =>
    deps.ok(`/freezes/${name}`, {
      method: 'PUT',
      body: {
        from: '2000-01-01T00:00:00.000Z',
        to: '2999-01-01T00:00:00.000Z',
        timeZone: 'UTC',
        blocks: ['CONFIGURE'],
        message: 'Inventory',
        updatedAt: null,
        ...more,
      },
    })
  const nameIn = async (scope: Scope, property = 'name') =>
    (await deps.configuration(scope)).resources[MAIN]?.properties[property]
  /** What the inbox of a person says about a request, newest first. */
  const told = async (actor: string, id: string) => {
    const { items } = (await deps.ok('/inbox', { actor })) as unknown as { items: InboxNotification[] }
    return items
      .filter(({ changeRequest }) => changeRequest?.changeRequestId === id)
      .map(({ event, because, by }) => [event, because, by?.id ?? null])
  }
  return {
    deps,
    installed,
    send,
    propose,
    requested,
    read,
    planOf,
    approve,
    apply,
    state,
    isTried,
    policy,
    freeze,
    nameIn,
    told,
  }
}

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { SavedView } from '#contract/console-api/saved-views.ts'
import { openDatabase } from '#database/pool.ts'
import { testDatabase } from '#database/testing.ts'
import { sessionCookie } from '../testing-browser.ts'
import { bffMigrations } from '../store/tables.ts'
import type { BffTables } from '../store/tables.ts'
import { EVERYWHERE } from '../testing.ts'
import { startConsole } from '../testing-console.ts'
import { OWN_VIEWS_MAX, SHARED_VIEWS_MAX } from './saved-views.ts'

const cookies: Record<string, string> = {}
let origin: string
let database: Awaited<ReturnType<typeof openDatabase<BffTables>>>
let stop: () => Promise<void>

before(async () => {
  const server = await testDatabase({ migrations: [bffMigrations] })
  const console = await startConsole({
    connection: server.connection,
    roles: {
      ada: [EVERYWHERE('admin')],
      olga: [EVERYWHERE('operator')],
      vic: [EVERYWHERE('viewer')],
      local: [{ role: 'admin', scope: { environmentKey: 'production' } }],
    },
    rates: { reads: { burst: 1_000, perSecond: 1_000 }, writes: { burst: 1_000, perSecond: 1_000 } },
  })
  origin = console.origin
  database = openDatabase<BffTables>(server.connection)
  for (const username of ['ada', 'olga', 'vic', 'local'])
    cookies[username] = await sessionCookie(origin, { username, password: 'correct horse' })
  stop = async () => {
    await console.stop()
    await database.close()
    await server.close()
  }
})
after(() => stop())

const FAILED = { page: 'operations', name: 'Failed ones', search: 'state=FAILED', shared: false }

async function send(
  user: string,
  method: string,
  path = '',
  { body, key = crypto.randomUUID() }: { body?: object; key?: string } = {},
) {
  const response = await fetch(`${origin}/api/${path.startsWith('looked-at') ? '' : 'saved-views'}${path}`, {
    method,
    headers: {
      'x-requested-by': 'console',
      cookie: cookies[user] ?? '',
      ...(method !== 'GET' && { origin, 'sec-fetch-site': 'same-origin', 'idempotency-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // the responses of these endpoints, or a problem
  return { status: response.status, json: (await response.json()) as never }
}

async function list(user: string): Promise<SavedView[]> {
  const { status, json } = await send(user, 'GET')
  assert.equal(status, 200)
  return (json as { items: SavedView[] }).items
}
const names = async (user: string) => (await list(user)).map(({ name }) => name)

async function create(user: string, changes: Partial<Record<keyof typeof FAILED, unknown>> = {}) {
  const { status, json } = await send(user, 'POST', '', { body: { ...FAILED, ...changes } })
  assert.equal(status, 200, JSON.stringify(json))
  return json as SavedView
}

async function refused(
  request: ReturnType<typeof send>,
  expected: { status: number; path?: string; reason?: string },
) {
  const { status, json } = await request
  const problem = json as { details?: { path?: string; parameters?: { reason?: string } }[] }
  assert.equal(status, expected.status, JSON.stringify(json))
  if (expected.path !== undefined) assert.equal(problem.details?.[0]?.path, `body.${expected.path}`)
  if (expected.reason !== undefined) assert.equal(problem.details?.[0]?.parameters?.reason, expected.reason)
}

const clear = () => database.db.deleteFrom('bff.saved_view').execute()

test('a view is its owner’s until it is shared', async () => {
  await clear()
  const mine = await create('olga')
  assert.deepEqual([mine.shared, mine.editable, mine.owner.name], [false, true, 'olga'])
  assert.deepEqual([await names('olga'), await names('vic'), await names('ada')], [['Failed ones'], [], []])
  const body = { ...FAILED, name: 'Failed, all', shared: true }
  assert.equal((await send('olga', 'PUT', `/${mine.viewId}`, { body })).status, 200)
  const [shared] = await list('vic')
  assert.deepEqual([shared?.name, shared?.shared, shared?.editable], ['Failed, all', true, false])
})

test('a change of one setting keeps what somebody else has changed in the others', async () => {
  await clear()
  const { viewId } = await create('olga', { shared: true })
  const save = (user: string, body: object) =>
    send(user, 'PUT', `/${viewId}`, { body: { page: 'operations', ...body } })
  for (const [user, change] of [
    ['ada', { name: 'Renamed' }],
    ['olga', { search: 'state=WAITING' }],
    ['ada', { shared: false }],
  ] as const)
    assert.equal((await save(user, change)).status, 200)
  const [view] = await list('olga')
  assert.deepEqual([view?.name, view?.search, view?.shared], ['Renamed', 'state=WAITING', false])
  await refused(save('olga', { search: 'nothing=known' }), { status: 400, path: 'search' })
})

test('views of a page are seen only by people who may see the page', async () => {
  await clear()
  await create('ada', { page: 'audit', name: 'Sign-ins', search: 'action=session.sign-in', shared: true })
  assert.deepEqual(await names('olga'), ['Sign-ins'])
  assert.deepEqual(await names('vic'), [])
  await refused(send('vic', 'POST', '', { body: { ...FAILED, page: 'audit', search: 'actor=x' } }), {
    status: 403,
  })
})

test('a shared view is changed and deleted by its owner and by an administrator of everything', async () => {
  await clear()
  const { viewId } = await create('olga', { shared: true })
  const renamed = { ...FAILED, name: 'Renamed', shared: true }
  for (const user of ['vic', 'local']) {
    await refused(send(user, 'PUT', `/${viewId}`, { body: renamed }), { status: 403 })
    await refused(send(user, 'DELETE', `/${viewId}`), { status: 403 })
  }
  assert.equal((await send('ada', 'PUT', `/${viewId}`, { body: renamed })).status, 200)
  // it stays the owner's
  assert.deepEqual(
    (await list('olga')).map(({ name, owner }) => [name, owner.name]),
    [['Renamed', 'olga']],
  )
  const own = await create('vic')
  for (const user of ['ada', 'olga']) await refused(send(user, 'DELETE', `/${own.viewId}`), { status: 404 })
  assert.equal((await send('ada', 'DELETE', `/${viewId}`)).status, 200)
  await refused(send('olga', 'DELETE', `/${viewId}`), { status: 404 })
})

test('the views of a page that a person sees have different names', async () => {
  await clear()
  await create('olga')
  const taken = { status: 400, path: 'name', reason: 'viewNameTaken' }
  await refused(send('olga', 'POST', '', { body: { ...FAILED, name: ' failed ONES ' } }), taken)
  await create('olga', { page: 'installations', search: 'claim=any' })
  await create('vic')
  const shared = await create('ada', { name: 'Team', shared: true })
  await refused(send('vic', 'POST', '', { body: { ...FAILED, name: 'Team' } }), taken)
  await refused(send('ada', 'PUT', `/${shared.viewId}`, { body: { ...FAILED, page: 'audit' } }), {
    status: 400,
    path: 'search',
  })
  // its own name is not taken
  assert.equal(
    (await send('ada', 'PUT', `/${shared.viewId}`, { body: { ...FAILED, name: 'TEAM' } })).status,
    200,
  )
})

test('two concurrent requests create only one view with a name', async () => {
  await clear()
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => send('olga', 'POST', '', { body: FAILED })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 400, 400, 400, 400],
  )
})

test('a repeated request creates its view once', async () => {
  await clear()
  const key = crypto.randomUUID()
  const first = await send('olga', 'POST', '', { body: FAILED, key })
  assert.deepEqual(await send('olga', 'POST', '', { body: FAILED, key }), first)
  // renamed meanwhile, it is still what the first request created
  const { viewId } = first.json as SavedView
  const renamed = { page: FAILED.page, name: 'Renamed' }
  assert.equal((await send('olga', 'PUT', `/${viewId}`, { body: renamed })).status, 200)
  assert.equal((await send('olga', 'POST', '', { body: FAILED, key })).status, 200)
  const other = await send('olga', 'POST', '', { body: { ...FAILED, search: 'state=WAITING' }, key })
  assert.equal(other.status, 409)
  assert.equal((other.json as { code: string }).code, 'IDEMPOTENCY_KEY_REUSED')
  assert.deepEqual(await names('olga'), ['Renamed'])
  // the key of another person
  assert.equal((await send('vic', 'POST', '', { body: FAILED, key })).status, 200)
  assert.equal((await list('olga')).length, 1)
})

test('names, search strings and numbers of views have limits', async () => {
  await clear()
  for (const [changes, path] of [
    [{ name: '  ' }, 'name'],
    [{ name: 'x'.repeat(61) }, 'name'],
    [{ name: 'a\u202eb' }, 'name'],
    [{ search: '' }, 'search'],
    [{ search: 'state=FAILED&color=red' }, 'search'],
    [{ search: 'cursor=abc' }, 'search'],
    [{ search: `q=${'x'.repeat(2_000)}` }, 'search'],
    [{ page: 'plugins' }, 'page'],
  ] as const)
    await refused(send('olga', 'POST', '', { body: { ...FAILED, ...changes } }), { status: 400, path })
  await create('olga', { name: 'x'.repeat(60) })
  const row = {
    iss: 'elsewhere',
    sub: 'someone',
    owner_name: 'Someone',
    page: 'operations',
    search: 'q=a',
  } as const
  await database.db
    .insertInto('bff.saved_view')
    .values(
      Array.from({ length: SHARED_VIEWS_MAX }, (_, n) => ({
        ...row,
        view_id: crypto.randomUUID(),
        name: `Shared ${n}`,
        is_shared: true,
      })),
    )
    .execute()
  const full = { status: 400, path: 'shared', reason: 'sharedViewsFull' }
  await refused(send('olga', 'POST', '', { body: { ...FAILED, shared: true } }), full)
  for (let n = 1; n < OWN_VIEWS_MAX; n++) await create('olga', { name: `Own ${n}` })
  await refused(send('olga', 'POST', '', { body: FAILED }), {
    status: 400,
    path: 'name',
    reason: 'viewsFull',
  })
  await create('vic')
})

test('each change is in the audit, and a refused one too', async () => {
  await clear()
  await database.db.deleteFrom('bff.audit_event').execute()
  const { viewId } = await create('olga', { shared: true })
  await refused(send('vic', 'DELETE', `/${viewId}`), { status: 403 })
  await send('olga', 'PUT', `/${viewId}`, { body: { ...FAILED, name: 'Renamed' } })
  await send('olga', 'DELETE', `/${viewId}`)
  const events = await database.db
    .selectFrom('bff.audit_event')
    .select(['action', 'outcome', 'subject', 'actor_name', 'error_code'])
    .orderBy('first_at')
    .execute()
  assert.deepEqual(
    events.map((event) => [event.action, event.outcome, event.subject, event.actor_name, event.error_code]),
    [
      ['view.create', 'DONE', '“Failed ones” (operations, shared)', 'olga', null],
      ['view.delete', 'REFUSED', '“Failed ones” (operations, shared)', 'vic', 'PERMISSION_DENIED'],
      ['view.save', 'DONE', '“Renamed” (operations) (was “Failed ones”)', 'olga', null],
      ['view.delete', 'DONE', '“Renamed” (operations)', 'olga', null],
    ],
  )
})

test('what a person has looked at is theirs, in every session and without an entry in the audit', async () => {
  await database.db.deleteFrom('bff.audit_event').execute()
  const read = async (user: string) =>
    ((await send(user, 'GET', 'looked-at')).json as { causesAt: string | null }).causesAt
  assert.equal(await read('vic'), null)
  const { status, json } = await send('vic', 'PUT', 'looked-at')
  assert.equal(status, 200)
  const first = (json as { causesAt: string }).causesAt
  cookies['vic'] = await sessionCookie(origin, { username: 'vic', password: 'correct horse' })
  assert.equal(await read('vic'), first)
  await send('vic', 'PUT', 'looked-at')
  assert.ok(((await read('vic')) ?? '') > first)
  assert.equal(await read('olga'), null)
  const events = await database.db.selectFrom('bff.audit_event').select('action').execute()
  assert.deepEqual(
    events.filter(({ action }) => !action.startsWith('session.')),
    [],
  )
})

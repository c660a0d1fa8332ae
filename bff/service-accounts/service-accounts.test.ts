import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { textOfRole } from '#contract/console-api/role-text.ts'
import { consoleApi } from '#contract/console-api/rows.ts'
import type { ServiceAccount } from '#contract/console-api/service-accounts.ts'
import { splitName } from '#contract/endpoint/endpoint.ts'
import type { EndpointName, EndpointRow } from '#contract/endpoint/endpoint.ts'
import { ConsoleEvent } from '#contract/runtime-api/audit.ts'
import { openDatabase } from '#database/pool.ts'
import type { Database } from '#database/pool.ts'
import { testDatabase } from '#database/testing.ts'
import { sessionCookie } from '../testing-browser.ts'
import type { RoleGrant } from '../roles.ts'
import { bffMigrations } from '../store/tables.ts'
import type { BffTables } from '../store/tables.ts'
import { EVERYWHERE } from '../testing.ts'
import { startConsole } from '../testing-console.ts'

const PRODUCTION = { environmentKey: 'production' }
const PEOPLE: Record<string, RoleGrant[]> = {
  ada: [EVERYWHERE('admin')],
  olga: [EVERYWHERE('operator')],
  sam: [EVERYWHERE('support')],
  vic: [EVERYWHERE('viewer')],
  local: [{ role: 'admin', scope: PRODUCTION }],
}
const MANY = { burst: 100_000, perSecond: 100_000 }

interface Answer {
  status: number
  json: Record<string, unknown>
}

describe('service accounts', () => {
  /** A runtime that answers nothing useful, and keeps the assertions that it got. */
  let runtime: Server
  const assertions: string[] = []
  let origin: string
  let database: Database<BffTables>
  let stop: () => Promise<void>
  const cookies: Record<string, string> = {}

  before(async () => {
    const server = await testDatabase({ migrations: [bffMigrations] })
    runtime = createServer((req, res) => {
      assertions.push(String(req.headers['x-runtime-actor-assertion']))
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
    await new Promise<void>((resolve) => runtime.listen(0, '127.0.0.1', resolve))
    const { port } = runtime.address() as AddressInfo
    const console = await startConsole({
      connection: server.connection,
      runtimeUrl: `http://127.0.0.1:${port}/bundle-runtime/api`,
      roles: PEOPLE,
      rates: { reads: MANY, writes: MANY },
      programRates: { reads: { burst: 400, perSecond: 0.001 }, writes: MANY },
    })
    origin = console.origin
    database = openDatabase<BffTables>(server.connection)
    for (const username of Object.keys(PEOPLE))
      cookies[username] = await sessionCookie(origin, { username, password: 'correct horse' })
    stop = async () => {
      await console.stop()
      runtime.closeAllConnections()
      await new Promise((resolve) => runtime.close(resolve))
      await database.close()
      await server.close()
    }
  })
  after(() => stop())

  const send = async (
    method: string,
    path: string,
    { headers = {}, body, key = crypto.randomUUID() }: { headers?: object; body?: object; key?: string } = {},
  ): Promise<Answer> => {
    const response = await fetch(`${origin}/api${path}`, {
      method,
      headers: {
        ...(method !== 'GET' && { 'idempotency-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, json: text.startsWith('{') ? (JSON.parse(text) as Answer['json']) : {} }
  }
  const asPerson = (user: string) => ({
    'x-requested-by': 'console',
    cookie: cookies[user] ?? '',
    origin,
    'sec-fetch-site': 'same-origin',
  })
  const asProgram = (token: string) => ({ authorization: `Bearer ${token}` })
  const byAda = (method: string, path: string, body?: object, key?: string) =>
    send(method, path, {
      headers: asPerson('ada'),
      ...(body !== undefined && { body }),
      ...(key !== undefined && { key }),
    })
  const account = async (name: string, roles: RoleGrant[]) => {
    const made = await byAda('POST', '/service-accounts', { name, roles })
    assert.equal(made.status, 200, JSON.stringify(made.json))
    const { accountId } = made.json as unknown as ServiceAccount
    const token = await byAda('POST', `/service-accounts/${accountId}/tokens`, { days: 30 })
    assert.equal(token.status, 200)
    return { accountId, tokenId: String(token.json['tokenId']), token: String(token.json['token']) }
  }
  const session = (token: string) => send('GET', '/session', { headers: asProgram(token) })

  it('act with their roles, without a cookie or a header of the console', async () => {
    const robot = await account('deploy-robot', [{ role: 'operator', scope: PRODUCTION }])
    const { status, json } = await session(robot.token)
    assert.equal(status, 200)
    assert.deepEqual(json['user'], { id: robot.accountId, name: 'deploy-robot' })
    assert.deepEqual(json['roles'], ['operator'])
    assertions.length = 0
    await send('GET', '/operations', { headers: asProgram(robot.token) })
    const claims = decodeJwt(assertions.at(-1) ?? '')
    assert.deepEqual(
      [claims.sub, claims['name'], claims['issuer'], claims['auth_time']],
      [robot.accountId, 'deploy-robot', 'service-account', undefined],
    )
    const { rows } = await sql<{ stored: string }>`
      select service_account_token::text as stored from bff.service_account_token`.execute(database.db)
    assert.ok(rows.every(({ stored }) => !stored.includes(robot.token.slice(5))))
  })

  it('have exactly the permissions of a person with the same roles, at every endpoint (G01)', async () => {
    // a stream does not end
    const rows = (Object.entries(consoleApi) as [EndpointName, EndpointRow][]).filter(
      ([, row]) => row.answers !== 'events',
    )
    const differences: string[] = []
    let compared = 0
    for (const [user, roles] of Object.entries(PEOPLE)) {
      const { token } = await account(`like-${user}`, roles)
      const compare = async ([name, row]: [EndpointName, EndpointRow]) => {
        const { method, path } = splitName(name)
        const url = path
          .replace('{environmentKey}', 'production')
          .replace('{workspaceId}', '1')
          .replace('{sessionId}', 'f'.repeat(64))
          .replaceAll(/\{\w*Id\}/g, '0199f000-0000-7000-8000-000000000001')
          .replaceAll(/\{\w+\}/g, 'x')
        const body = row.body === undefined ? {} : { body: {} }
        const [person, program] = await Promise.all(
          [asPerson(user), asProgram(token)].map((headers) => send(method, url, { headers, ...body })),
        )
        const [expected, actual] = [person?.json['code'], program?.json['code']]
        compared++
        const isMissingSignIn = actual === 'RECENT_SIGN_IN_REQUIRED' && row.recentSignIn === 'always'
        if (actual !== expected && !isMissingSignIn)
          differences.push(`${user} ${name}: ${String(expected)}, ${String(actual)}`)
      }
      for (let from = 0; from < rows.length; from += 10)
        await Promise.all(rows.slice(from, from + 10).map(compare))
    }
    assert.deepEqual(differences, [])
    assert.ok(compared > 400)
  })

  it('cannot do what needs a recent sign-in, such as managing service accounts', async () => {
    const { token, accountId } = await account('almighty', [EVERYWHERE('admin')])
    const headers = asProgram(token)
    assert.equal((await send('GET', '/service-accounts', { headers })).status, 200)
    for (const [method, path] of [
      ['POST', '/service-accounts'],
      ['PUT', `/service-accounts/${accountId}`],
      ['DELETE', `/service-accounts/${accountId}`],
      ['POST', `/service-accounts/${accountId}/tokens`],
    ] as const) {
      const { json } = await send(method, path, { headers, body: {} })
      assert.equal(json['code'], 'RECENT_SIGN_IN_REQUIRED', method)
    }
    await sql`update bff.session set authenticated_at = clock_timestamp() - interval '1 hour'`.execute(
      database.db,
    )
    const late = await byAda('POST', '/service-accounts', { name: 'late', roles: [EVERYWHERE('viewer')] })
    await sql`update bff.session set authenticated_at = clock_timestamp()`.execute(database.db)
    assert.equal(late.json['code'], 'RECENT_SIGN_IN_REQUIRED')
  })

  it('have two valid tokens at most, each shown once, that end when revoked or expired', async () => {
    const robot = await account('rotating', [EVERYWHERE('viewer')])
    const tokens = `/service-accounts/${robot.accountId}/tokens`
    const key = crypto.randomUUID()
    const second = await byAda('POST', tokens, { days: 1 }, key)
    const again = await byAda('POST', tokens, { days: 1 }, key)
    assert.deepEqual([again.json['tokenId'], again.json['token']], [second.json['tokenId'], null])
    assert.equal((await byAda('POST', tokens, { days: 2 }, key)).json['code'], 'IDEMPOTENCY_KEY_REUSED')
    const other = await account('other', [EVERYWHERE('viewer')])
    const sameKey = await byAda('POST', `/service-accounts/${other.accountId}/tokens`, { days: 1 }, key)
    assert.match(String(sameKey.json['token']), /^bcsa_/)
    assert.equal((await byAda('POST', tokens, { days: 1 })).status, 400)
    const secondToken = String(second.json['token'])
    assert.equal((await session(secondToken)).status, 200)
    assert.equal((await session(robot.token)).status, 200)

    assert.equal((await byAda('DELETE', `${tokens}/${robot.tokenId}`)).status, 200)
    assert.equal((await session(robot.token)).status, 401)
    assert.equal((await session(secondToken)).status, 200)
    const { json } = await byAda('GET', '/service-accounts')
    const listed = (json['items'] as ServiceAccount[]).find(({ name }) => name === 'rotating')
    assert.ok(listed !== undefined && listed.tokens.every(({ lastUsedAt }) => lastUsedAt !== null))
    assert.equal(listed.tokens.filter(({ revokedAt }) => revokedAt !== null).length, 1)

    await sql`update bff.service_account_token set expires_at = clock_timestamp() - interval '1 second'
      where token_id = ${String(second.json['tokenId'])}::uuid`.execute(database.db)
    assert.equal((await session(secondToken)).status, 401)
    const third = await byAda('POST', tokens, { days: 1 })
    assert.equal((await session(String(third.json['token']))).status, 200)
    await byAda('PUT', `/service-accounts/${robot.accountId}`, { roles: [EVERYWHERE('support')] })
    assert.deepEqual((await session(String(third.json['token']))).json['roles'], ['support'])
    assert.equal((await byAda('DELETE', `/service-accounts/${robot.accountId}`)).status, 200)
    assert.equal((await session(String(third.json['token']))).status, 401)
  })

  it('are refused with a cookie beside the token, and as nobody with any other credential (G05)', async () => {
    const { token } = await account('careful', [EVERYWHERE('viewer')])
    const both = { ...asProgram(token), ...asPerson('ada') }
    assert.equal((await send('GET', '/session', { headers: both })).status, 400)
    for (const authorization of [
      '',
      'Bearer',
      'Bearer nothing',
      `bearer ${token}`,
      `Bearer ${token} `.slice(0, -2),
      `Bearer ${token}x`,
      `Bearer ${token.replace('bcsa_', 'other_')}`,
      `Bearer ${token}, Bearer ${token}`,
      `Basic ${Buffer.from(`x:${token}`).toString('base64')}`,
      token,
    ])
      assert.equal((await send('GET', '/session', { headers: { authorization } })).status, 401, authorization)
    // a page of another site that got hold of a token
    const foreign = { ...asProgram(token), 'sec-fetch-site': 'cross-site' }
    assert.equal((await send('GET', '/session', { headers: foreign })).status, 403)
    const withOrigin = { ...asProgram(token), origin: 'https://evil.example' }
    assert.equal((await send('POST', '/batches', { headers: withOrigin, body: {} })).status, 403)
  })

  it('have a name of their own, and are created once with a key', async () => {
    const key = crypto.randomUUID()
    const body = { name: 'Named', roles: [EVERYWHERE('viewer')] }
    const first = await byAda('POST', '/service-accounts', body, key)
    const again = await byAda('POST', '/service-accounts', body, key)
    assert.equal(first.json['accountId'], again.json['accountId'])
    const other = await byAda('POST', '/service-accounts', { ...body, name: 'Other' }, key)
    assert.equal(other.json['code'], 'IDEMPOTENCY_KEY_REUSED')
    const taken = await byAda('POST', '/service-accounts', { ...body, name: 'nAmed' })
    assert.equal(taken.json['message'], 'Another service account has this name. Choose a different one.')
    const nobody = '0199f000-0000-7000-8000-000000000001'
    assert.equal((await byAda('DELETE', `/service-accounts/${nobody}`)).status, 404)
  })

  it('are in the audit with what an administrator did, also what was refused', async () => {
    const { accountId } = await account('audited', [{ role: 'operator', scope: PRODUCTION }])
    await byAda('DELETE', `/service-accounts/${accountId}`)
    await send('POST', '/service-accounts', { headers: asPerson('vic'), body: {} })
    const { rows } = await sql<{ action: string; subject: string; actor: string; code: string | null }>`
      select action, regexp_replace(subject, '[(].{36}, until .*[)]', '(…)') as subject, actor_name as actor,
        error_code as code
      from bff.audit_event where subject like 'audited%' or (actor_name = 'vic' and action like 'service-account.create')
      order by actor_name, first_at, event_id`.execute(database.db)
    assert.deepEqual(
      rows.map(({ action, subject, actor, code }) => [action, subject, actor, code]),
      [
        ['service-account.create', 'audited (operator@production)', 'ada', null],
        ['service-account.token.create', 'audited (…)', 'ada', null],
        ['service-account.delete', 'audited', 'ada', null],
        ['service-account.create', '/service-accounts', 'vic', 'PERMISSION_DENIED'],
      ],
    )
  })

  it('are in the audit with all of their roles, however many, in parts that a runtime takes (G08)', async () => {
    const roles = Array.from({ length: 100 }, (_, index): RoleGrant => {
      const scope = {
        environmentKey: 'e'.repeat(128),
        applicationRuntimeId: 'a'.repeat(128),
        workspaceId: index,
      }
      return { role: 'operator', scope }
    })
    await account('with many roles', roles)
    const { rows } = await sql<{ subject: string }>`
      select subject from bff.audit_event where action = 'service-account.create'
        and (subject like 'with many roles (%' or subject like '… %') order by first_at`.execute(database.db)
    for (const { subject } of rows) assert.ok(ConsoleEvent.shape.subject.safeParse(subject).success, subject)
    const whole = rows.map(({ subject }) => subject.replaceAll(/^… | …$/g, '')).join(' ')
    assert.equal(whole, `with many roles (${roles.map(textOfRole).join(', ')})`)
  })

  it('have rates of their own', async () => {
    const { token } = await account('hasty', [EVERYWHERE('viewer')])
    const statuses: number[] = []
    for (let count = 0; count < 410; count++) statuses.push((await session(token)).status)
    assert.equal(statuses.filter((status) => status === 200).length, 400)
    assert.equal(statuses.at(-1), 429)
    assert.equal((await send('GET', '/session', { headers: asPerson('vic') })).status, 200)
  })
})

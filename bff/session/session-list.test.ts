import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { SessionEntry } from '#contract/console-api/sessions.ts'
import { openDatabase } from '#database/pool.ts'
import type { Database } from '#database/pool.ts'
import { testDatabase } from '#database/testing.ts'
import { sessionCookie } from '../testing-browser.ts'
import { bffMigrations } from '../store/tables.ts'
import type { BffTables } from '../store/tables.ts'
import { EVERYWHERE } from '../testing.ts'
import { startConsole } from '../testing-console.ts'

describe('the list of sessions', () => {
  let origin: string
  let database: Database<BffTables>
  let stop: () => Promise<void>
  before(async () => {
    const server = await testDatabase({ migrations: [bffMigrations] })
    const console = await startConsole({
      connection: server.connection,
      roles: {
        ada: [EVERYWHERE('admin')],
        vic: [EVERYWHERE('viewer')],
        local: [{ role: 'admin', scope: { environmentKey: 'production' } }],
      },
    })
    origin = console.origin
    database = openDatabase<BffTables>(server.connection)
    stop = async () => {
      await console.stop()
      await database.close()
      await server.close()
    }
  })
  after(() => stop())

  const signIn = (username: string) => sessionCookie(origin, { username, password: 'correct horse' })
  const send = async (cookie: string, method: string, path: string, body?: object) => {
    const response = await fetch(`${origin}/api${path}`, {
      method,
      headers: {
        'x-requested-by': 'console',
        cookie,
        ...(method !== 'GET' && {
          origin,
          'sec-fetch-site': 'same-origin',
          'idempotency-key': crypto.randomUUID(),
        }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    // the responses of these endpoints, or a problem
    return { status: response.status, json: (await response.json()) as Record<string, unknown> }
  }
  const list = async (cookie: string, path = '/sessions') =>
    (await send(cookie, 'GET', path)).json['items'] as SessionEntry[]

  it('has the sessions of the person, who ends each of them (A07)', async () => {
    const [here, elsewhere, ada] = [await signIn('vic'), await signIn('vic'), await signIn('ada')]
    const own = await list(here)
    assert.equal(own.length, 2)
    assert.deepEqual(
      own.map(({ isCurrent, person, clientAddress }) => [isCurrent, person.name, clientAddress]),
      [
        [false, 'vic', '127.0.0.1'],
        [true, 'vic', '127.0.0.1'],
      ],
    )
    const [other] = own
    assert.equal((await send(here, 'DELETE', `/sessions/${other?.sessionId}`)).status, 200)
    assert.equal((await send(elsewhere, 'GET', '/session')).status, 401)
    assert.equal((await send(here, 'GET', '/session')).status, 200)
    // those of others do not exist for a person
    const [adas] = await list(ada)
    assert.equal((await send(here, 'DELETE', `/sessions/${adas?.sessionId}`)).status, 404)
    assert.equal((await send(ada, 'GET', '/session')).status, 200)
    assert.equal((await send(here, 'DELETE', '/sessions/x')).status, 400)
  })

  it('is that of everyone for administrators of all scopes, who end any session or all of a person (A07)', async () => {
    const [ada, local] = [await signIn('ada'), await signIn('local')]
    const sessionsOfVic = [await signIn('vic'), await signIn('vic'), await signIn('vic')]
    for (const cookie of [local, sessionsOfVic[0] ?? '']) {
      assert.equal((await send(cookie, 'GET', '/sessions/everyone')).status, 403)
      const refused = await send(cookie, 'POST', '/sessions/end', { issuer: 'x', personId: 'x' })
      assert.equal(refused.status, 403)
    }
    const all = await list(ada, '/sessions/everyone')
    assert.deepEqual(new Set(all.map(({ person }) => person.name)), new Set(['ada', 'local', 'vic']))
    const pages: SessionEntry[] = []
    for (let cursor: unknown = ''; cursor !== null;) {
      const { json } = await send(
        ada,
        'GET',
        `/sessions/everyone?limit=2&cursor=${String(cursor)}`.replace(/&cursor=$/, ''),
      )
      pages.push(...(json['items'] as SessionEntry[]))
      cursor = json['nextCursor']
    }
    assert.deepEqual(pages, all)
    const noDay = `2026-02-31T00:00:00.000Z_${'a'.repeat(64)}`
    for (const cursor of ['x', noDay, noDay.replace('2026-02-31', '0000-01-01')])
      assert.equal((await send(ada, 'GET', `/sessions/everyone?cursor=${cursor}`)).status, 400, cursor)

    const found = await list(ada, '/sessions/everyone?q=VI')
    assert.deepEqual(new Set(found.map(({ person }) => person.name)), new Set(['vic']))
    const [first] = found
    assert.equal((await send(ada, 'DELETE', `/sessions/${first?.sessionId}`)).status, 200)
    const of = { issuer: first?.issuer, personId: first?.person.id }
    assert.deepEqual((await send(ada, 'POST', '/sessions/end', of)).json, { ended: found.length - 1 })
    for (const cookie of sessionsOfVic) assert.equal((await send(cookie, 'GET', '/session')).status, 401)
    assert.equal((await send(local, 'GET', '/session')).status, 200)
    const { rows } = await sql<{ actor: string; subject: string }>`
      select distinct actor_name as actor, regexp_replace(subject, '[0-9a-f-]{36}', 'id') as subject
      from bff.audit_event where action = 'session.end' and actor_name = 'ada' and outcome = 'DONE'`.execute(
      database.db,
    )
    assert.deepEqual(rows, [{ actor: 'ada', subject: 'console (vic, id)' }])
  })
})

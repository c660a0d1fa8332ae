import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#database/pool.ts'
import { testDatabase } from '#database/testing.ts'
import type { TestDatabase } from '#database/testing.ts'
import { bffMigrations } from './store/tables.ts'
import { startConsole } from './testing-console.ts'
import { TestBrowser } from './testing-browser.ts'

let server: TestDatabase
let console_: Awaited<ReturnType<typeof startConsole>>
before(async () => {
  server = await testDatabase({ migrations: [bffMigrations] })
  console_ = await startConsole({ connection: server.connection })
})
after(async () => {
  await console_.stop()
  await server.close()
})

const get = (path: string) => fetch(`${console_.origin}${path}`)

describe('the console', () => {
  it('reports its metrics with help texts, and nothing by person (D11, I03)', async () => {
    assert.equal((await get('/api/session')).status, 403)
    const response = await get('/metrics')
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
    const text = await response.text()
    assert.match(text, /^bundle_console_database_up 1$/m)
    assert.match(
      text,
      /^bundle_console_http_requests_total\{endpoint="[^"]*",status="403",code="[A-Z_]+"\} 1$/m,
    )
    assert.match(text, /^process_resident_memory_bytes \d+$/m)
    for (const [, name] of text.matchAll(/^# TYPE (\S+)/gm))
      assert.match(text, new RegExp(`^# HELP ${name} \\S`, 'm'))
    assert.doesNotMatch(text, /ada/)
  })

  it('serves no metrics unless a setting says so (D11)', async () => {
    const silent = await startConsole({ connection: server.connection, servesMetrics: false })
    try {
      const response = await fetch(`${silent.origin}/metrics`)
      assert.equal(response.status, 404)
      assert.doesNotMatch(await response.text(), /bundle_console_/)
      assert.equal((await fetch(`${silent.origin}/healthz`)).status, 200)
    } finally {
      await silent.stop()
    }
  })

  it('serves metrics to machines inside, and not through a proxy, if a setting says so (D11)', async () => {
    const direct = await startConsole({
      connection: server.connection,
      servesMetrics: 'direct',
      publicOrigin: 'https://console.example.org',
    })
    try {
      const status = async (headers = {}) => (await fetch(`${direct.origin}/metrics`, { headers })).status
      assert.equal(await status(), 200)
      assert.equal(await status({ 'x-forwarded-for': '203.0.113.7' }), 404)
      assert.equal(await status({ 'x-forwarded-for': '' }), 404)
      const browser = new TestBrowser('https://console.example.org')
      browser.connectTo = direct.origin
      assert.equal((await browser.request('/metrics')).status, 404)
    } finally {
      await direct.stop()
    }
  })

  it('is ready as long as its database is', async () => {
    assert.equal((await get('/readyz')).status, 200)
    const { db, close } = openDatabase(server.connection)
    const why = async () => (await get('/readyz')).text()
    await sql`alter database ${sql.id(server.connection.database)} set default_transaction_read_only = on`.execute(
      db,
    )
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and datname = current_database()`.execute(db)
    for (let tries = 0; tries < 50 && /cannot be reached/.test(await why()); tries++);
    assert.match(await why(), /The database is set to read-only and takes no writes/)
    // the connection that said so is not asked again
    await sql`alter database ${sql.id(server.connection.database)} reset default_transaction_read_only`.execute(
      db,
    )
    assert.equal((await get('/readyz')).status, 200)
    await close()
    await server.close()
    const response = await get('/readyz')
    assert.equal(response.status, 503)
    assert.match(await response.text(), /The database cannot be reached/)
    assert.equal((await get('/healthz')).status, 200)
    assert.match(await (await get('/metrics')).text(), /^bundle_console_database_up 0$/m)
  })
})

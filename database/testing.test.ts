import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { noteMigrations } from './fixtures/migrations.ts'
import { openDatabase } from './pool.ts'
import { fromUrl } from './settings.ts'
import { startTestServer, testDatabase } from './testing.ts'

async function query(url: string, text: string): Promise<object[]> {
  const { pool, close } = openDatabase(fromUrl(url))
  try {
    return (await pool.query<object>(text)).rows
  } finally {
    await close()
  }
}

test('processes and calls share one template, and each gets its own database', async () => {
  const server = await startTestServer()
  const make = () => testDatabase({ migrations: [noteMigrations], server: server.url })
  const script = `
    import { testDatabase } from ${JSON.stringify(import.meta.resolve('./testing.ts'))}
    import { noteMigrations } from ${JSON.stringify(import.meta.resolve('./fixtures/migrations.ts'))}
    await testDatabase({ migrations: [noteMigrations] })`
  const others = [1, 2, 3].map(() =>
    spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, TEST_DATABASE_URL: server.url },
      stdio: 'inherit',
    }),
  )
  const [databases] = await Promise.all([
    Promise.all([1, 2, 3, 4].map(make)),
    ...others.map(async (other) => assert.deepEqual(await once(other, 'exit'), [0, null])),
  ])
  for (const { connection } of databases) {
    const { pool, close } = openDatabase(connection)
    await pool.query(`insert into notes.note (text) values ('mine')`)
    assert.deepEqual((await pool.query('select count(*) from notes.note')).rows, [{ count: 1 }])
    await close()
  }
  const counted = `select count(*) filter (where datname ~ '^template_') as templates,
    count(*) filter (where datname ~ '^test_') as tests from pg_database`
  assert.deepEqual(await query(server.url, counted), [{ templates: 1, tests: 7 }])
  // An open connection does not prevent dropping the database.
  const busy = openDatabase(databases[0]?.connection ?? fromUrl(server.url))
  await busy.pool.query('select 1')
  await Promise.all(databases.flatMap(({ close }) => [close(), close()]))
  await busy.close()
  assert.deepEqual(await query(server.url, counted), [{ templates: 1, tests: 3 }])
  await server.stop()
  await server.stop()
  assert.ok(!existsSync(fromUrl(server.url).host))
})

test('a process with its own server leaves neither server nor files', async () => {
  const program = fileURLToPath(new URL('./testing.ts', import.meta.url))
  const endings = { returns: '', exits: 'process.exit(0)' }
  await Promise.all(
    Object.entries(endings).map(async ([name, ending]) => {
      const script = `import { testDatabase } from ${JSON.stringify(program)}
        const { connection } = await testDatabase({ migrations: [] })
        console.log(connection.host)
        ${ending}`
      const env = { ...process.env }
      delete env['TEST_DATABASE_URL']
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (part: string) => (output += part))
      await once(child, 'close')
      const host = output.trim()
      assert.ok(host.startsWith('/'), name)
      assert.ok(!existsSync(host), `${name}: ${host} still exists`)
    }),
  )
})

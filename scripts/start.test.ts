import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { createActorAssertions, loadActorKey } from '#bff/runtime/actor-assertion.ts'
import { bffMigrations } from '#bff/store/tables.ts'
import { createRuntimeClient } from '#bff/runtime/runtime-client.ts'
import { freePort } from '#database/free-port.ts'
import { openDatabase } from '#database/pool.ts'
import { toUrl } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import { until } from '#runtime/testing/stream.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { testingPlugin } from '#runtime/testing/plugin.ts'
import { createDemoCaller } from '../demo/caller.ts'
import type { DemoCaller } from '../demo/caller.ts'
import { platform } from '../demo/people.ts'
import { sessionCookie } from '#bff/testing-browser.ts'
import { buildConsole } from './console-build.ts'
import { isRefused, START_MS, startPlace } from './testing-start.ts'
import type { StartedProgram, StartPlace } from './testing-start.ts'

// Whole processes, as `npm start` starts them.

const BUNDLE: AuthorManifest = {
  bundle: { environmentKey: 'dev', bundleId: 'crm' },
  version: '1.0.0',
  title: 'Customers',
  resources: [{ kind: 'MODULE', name: 'core', title: 'Core', moduleId: 'crm-core', properties: {} }],
  plugins: [
    {
      pluginId: 'slow',
      order: 10,
      failurePolicy: 'FAIL_FAST',
      configuration: { schemaVersion: '1', values: {} },
      resources: [],
    },
  ],
}
const isRoot = process.getuid?.() === 0
const isWindows = process.platform === 'win32'
const SCOPE = { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 7 }

before(() => buildConsole())

describe('a start that cannot succeed', () => {
  let place: StartPlace
  before(async () => (place = await startPlace()))
  after(() => place.close())

  for (const [variable, host] of [
    ['PORT', '::'],
    ['RUNTIME_PORT', '127.0.0.1'],
  ] as const) {
    it(`fails if ${variable} is in use, and creates nothing`, async () => {
      const port = place.env[variable]
      const other = createServer().listen(Number(port), host)
      await once(other, 'listening')
      const line = new RegExp(
        `^${variable} is wrong: port ${port} is already in use; choose another one, .+\n$`,
      )
      await isRefused(place.start(), line)
      other.close()
      assert.equal(existsSync(place.dataDir), false)
    })
  }

  it('fails if DATA_DIR cannot be created', async () => {
    const file = join(dirname(place.dataDir), 'file')
    writeFileSync(file, '')
    await isRefused(
      place.start({ DATA_DIR: join(file, 'data') }),
      /^DATA_DIR .* cannot be used: .*file is not a directory; choose another DATA_DIR\n$/,
    )
  })

  it('fails if DATA_DIR is not writable', { skip: isRoot && 'root may write everywhere' }, async () => {
    const closed = join(dirname(place.dataDir), 'closed')
    mkdirSync(closed, { mode: 0o500 })
    for (const dataDir of [closed, join(closed, 'data')])
      await isRefused(
        place.start({ DATA_DIR: dataDir }),
        /^DATA_DIR .* cannot be used: this user cannot write there; choose another DATA_DIR\n$/,
      )
  })

  it('fails if the database of DATABASE_URL is down, and creates nothing', async () => {
    const url = `postgresql://jon:canary@127.0.0.1:${await freePort()}/console`
    await isRefused(
      place.start({ DATABASE_URL: url, DATABASE_WAIT_SECONDS: '0' }),
      /^The database at 127\.0\.0\.1:\d+ \(database "console"\) cannot be used: nothing listens there\. Check the server and the database URL\.\n$/,
    )
    assert.equal(existsSync(place.dataDir), false)
  })

  it('fails if another program uses the directory, also if it uses the ports too', async () => {
    const first = place.start()
    await first.isUp()
    await isRefused(place.start(), /^DATA_DIR .* is in use by process \d+ /)
    await first.stop()
  })
})

describe('first passwords', () => {
  const signsIn = async (program: StartedProgram) => {
    await program.isUp()
    const password = /admin +(\S+)/.exec(program.output())?.[1]
    assert.ok(password !== undefined, program.output())
    assert.match(await sessionCookie(program.url, { username: 'admin', password }), /session/i)
  }

  it(
    'are printed by the next start if one was killed before it printed them',
    { skip: isWindows && 'no named pipes' },
    async () => {
      const { place, pool, env } = await startOnDatabase()
      const stdout = fullPipe(dirname(place.dataDir))
      const first = place.start(env, stdout)
      await until(async () => (await pool.query('select from bff.idp_user')).rowCount === 4)
      await first.kill()
      await signsIn(place.start(env))
    },
  )

  it('are printed again if the program was killed before it recorded the printing', async () => {
    const { place, pool, env } = await startOnDatabase()
    const lock = await pool.connect()
    await lock.query('select pg_advisory_lock(1)')
    await pool.query(
      `create function wait() returns trigger language plpgsql
      as 'begin perform pg_advisory_xact_lock(1); return new; end'`,
    )
    await pool.query('create trigger wait before update on bff.idp_user for each row execute function wait()')
    const first = place.start(env)
    await first.isUp()
    assert.match(first.output(), /admin +/)
    await first.kill()
    // the server has not noticed yet, and would execute the statement
    await lock.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
      where wait_event = 'advisory' and datname = current_database()`,
    )
    await lock.query('select pg_advisory_unlock(1)')
    lock.release()
    const second = place.start(env)
    await signsIn(second)
    assert.equal(await second.stop(), 0, second.errors())
    const third = place.start(env)
    await third.isUp()
    assert.match(third.output(), /Sign in with a password that an earlier start printed/)
  })

  async function startOnDatabase() {
    const database = await testDatabase({ migrations: [RUNTIME_MIGRATIONS, bffMigrations] })
    const { pool, close } = openDatabase(database.connection)
    const place = await startPlace()
    after(async () => {
      await place.close()
      await close()
      await database.close()
    })
    return { place, pool, env: { DATABASE_URL: toUrl(database.connection) } }
  }

  /** A writable pipe that blocks, because nobody reads it. */
  function fullPipe(folder: string): number {
    const path = join(folder, 'pipe')
    spawnSync('mkfifo', [path])
    const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
    const junk = Buffer.alloc(4096)
    for (;;) {
      try {
        writeSync(reader, junk)
      } catch {
        break
      }
    }
    after(() => closeSync(reader))
    return openSync(path, constants.O_WRONLY)
  }
})

describe('npm start after SIGKILL', () => {
  let place: StartPlace
  before(async () => (place = await startPlace()))
  after(() => place.close())

  it('continues an unfinished operation at once, although its lease has not expired', async () => {
    const plugin = await testingPlugin()
    after(() => plugin.close())
    // the first call never gets a response
    plugin.script(() => (plugin.calls.length === 1 ? 'hang' : { outcome: 'APPLIED' }))

    const first = place.start()
    await first.isUp()
    const operationId = await installOn(place, plugin.endpoint('slow'))
    await until(() => plugin.calls.length === 1)
    await first.kill()

    const second = place.start()
    const refusals = await readUntil(place, operationId, second.isUp())
    // no connection before the port is open; then a request waits until it can be answered. How many are refused
    // depends on how fast the program opens its port: a client that repeats for half a second may see nothing of it
    refusals.delete('UPSTREAM_UNAVAILABLE')
    assert.deepEqual(refusals, new Set(), second.output())
    // far less than the lease of 60 s
    await until(() => plugin.calls.length > 1)
    assert.equal(plugin.calls[1]?.body, plugin.calls[0]?.body)
    const { call, close } = await callerOf(place)
    const stateOf = () => call(platform, 'GET /operations/{operationId}', { params: { operationId } })
    await until(async () => (await stateOf()).state === 'SUCCEEDED')
    await close()
    assert.equal(await second.stop(), 0, second.errors())
    assert.doesNotMatch(second.output() + second.errors(), /FATAL|connections were lost/)
  })
})

/** Reads the operation every few milliseconds; returns the codes of the refusals. A read may wait as long as a start. */
async function readUntil(place: StartPlace, operationId: string, isUp: Promise<void>): Promise<Set<string>> {
  const { call, close } = await callerOf(place, { budgetMs: START_MS })
  const refusals = new Set<string>()
  const reads: Promise<unknown>[] = []
  const done = new AbortController()
  void isUp.finally(() => done.abort()).catch(() => undefined)
  while (!done.signal.aborted) {
    const read = call(platform, 'GET /operations/{operationId}', { params: { operationId } })
    reads.push(read.catch((error: { code?: string }) => refusals.add(error.code ?? String(error))))
    await sleep(20)
  }
  await Promise.all(reads)
  await close()
  await isUp
  return refusals
}

/** Installs the bundle, whose plugin is at this endpoint; returns the operation's id. */
async function installOn(place: StartPlace, endpoint: string): Promise<string> {
  const { call, close } = await callerOf(place)
  await call(
    platform,
    'PUT /plugins/{pluginId}',
    {
      params: { pluginId: 'slow' },
      body: { title: 'Slow', endpoint, enabled: true },
    },
    'plugin',
  )
  await call(
    platform,
    'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
    {
      params: { ...BUNDLE.bundle, version: BUNDLE.version },
      body: BUNDLE,
    },
    'publish',
  )
  const { operation } = await call(
    platform,
    'POST /installations',
    {
      body: { scope: SCOPE, bundle: BUNDLE.bundle, targetVersion: BUNDLE.version },
    },
    'install',
  )
  await close()
  assert.ok(operation !== undefined)
  return operation.operationId
}

/** Calls the runtime of a started program like its console does. */
async function callerOf(
  place: StartPlace,
  limits: { budgetMs?: number } = {},
): Promise<{ call: DemoCaller; close(): Promise<void> }> {
  const outbound = createOutbound({ egressAllow: [{ kind: 'loopback' }] })
  const runtime = createRuntimeClient({
    outbound,
    baseUrl: `http://127.0.0.1:${place.env['RUNTIME_PORT']}/bundle-runtime/api`,
    credential: readFileSync(join(place.dataDir, 'runtime-credential'), 'utf8'),
    ...limits,
  })
  const assertions = createActorAssertions(await loadActorKey(place.dataDir))
  return { call: createDemoCaller(runtime, assertions), close: () => outbound.close() }
}

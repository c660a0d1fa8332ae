import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import { RuntimeEvent } from '#contract/runtime-api/events.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { serve } from '#http-kit/serve.ts'
import type { RunningServer } from '#http-kit/serve.ts'
import { SeededRandom } from '../../lab/verification/seeded-random.ts'
import { API, CREDENTIAL, EVERYTHING, testHttp } from '../testing/http.ts'
import type { TestHttp } from '../testing/http.ts'
import { pruneEvents, emitEvents, isAfter, readEvents } from '../store/events.ts'
import { openEvents, TestReader, until } from '../testing/stream.ts'

// Real sockets, and rows that real transactions write.

const HERE: Scope = { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 1 }
const THERE: Scope = { environmentKey: 'test', applicationRuntimeId: 'shop', workspaceId: 1 }

let http: TestHttp
let server: RunningServer
let firstScope: number
let secondScope: number

before(async () => {
  http = await testHttp({ events: { heartbeatMs: 100, pollMs: 50, calmPollMs: 50, lifetimeMs: 20_000 } })
  server = await serve({ app: http.runtime.app, port: 0, hostname: '127.0.0.1' })
  firstScope = await makeScope(HERE)
  secondScope = await makeScope(THERE)
})

after(async () => {
  await http.close()
  await server.stop({ graceMs: 100 })
})

async function makeScope(scope: Scope): Promise<number> {
  const { db } = http.runtime.deps
  const { scope_id } = await db
    .insertInto('runtime.scope')
    .values({
      environment_key: scope.environmentKey,
      application_runtime_id: scope.applicationRuntimeId,
      workspace_id: scope.workspaceId,
      saved_by_id: 'ada',
      saved_by_name: 'Ada',
    })
    .returning('scope_id')
    .executeTakeFirstOrThrow()
  await addSnapshot(scope_id, 1)
  return scope_id
}

async function addSnapshot(scopeId: number, version: number, db = http.runtime.deps.db): Promise<void> {
  await db
    .insertInto('runtime.snapshot')
    .values({
      scope_id: scopeId,
      snapshot_version: version,
      saved_by_id: 'ada',
      saved_by_name: 'Ada',
      cause: 'SAVE',
    })
    .execute()
}

/** Writes a snapshot with its event in one transaction; `whileOpen` runs before the commit. */
async function save(
  scopeId: number,
  version: number,
  whileOpen: () => Promise<void> = async () => undefined,
) {
  await http.runtime.deps.db.transaction().execute(async (tx) => {
    await addSnapshot(scopeId, version, tx)
    await emitEvents(tx, [{ kind: 'configuration', scopeId, objectId: String(scopeId), version }])
    await whileOpen()
  })
}

async function open(options: { lastEventId?: string; grants?: typeof EVERYTHING } = {}): Promise<TestReader> {
  const response = await fetch(`http://127.0.0.1:${server.port}${API}/events`, {
    headers: {
      authorization: `Bearer ${CREDENTIAL}`,
      'x-runtime-actor-assertion': await http.assertion({ grants: options.grants ?? EVERYTHING }),
      ...(options.lastEventId !== undefined && { 'last-event-id': options.lastEventId }),
    },
  })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/event-stream')
  assert(response.body !== null)
  return new TestReader(response.body)
}

let version = 1
const versionsOf = (messages: readonly { data: string }[]): number[] =>
  messages.map(({ data }) => Number(JSON.parse(data).version))

describe('the event stream', () => {
  it('starts with its position, sends each change with its row, and stays open', async () => {
    const reader = await open()
    await reader.begun()
    await save(firstScope, ++version)
    const [message] = await reader.events(1)
    assert(message !== undefined)
    const event = RuntimeEvent.parse({ kind: message.event, ...JSON.parse(message.data) })
    assert(event.kind === 'configuration')
    assert.deepEqual(event.scope, HERE)
    assert.equal(event.version, version)
    assert.deepEqual(event.row.savedBy, { id: 'ada', name: 'Ada' })
    await until(() => reader.comments.length > 1)
    await reader.leave()
  })

  it('sends only events of scopes that the person may read (G02)', async () => {
    const grants = [{ permissions: [...PERMISSIONS], scope: { environmentKey: THERE.environmentKey } }]
    const reader = await open({ grants })
    await reader.begun()
    await save(firstScope, ++version)
    await save(secondScope, version)
    const messages = await reader.events(1)
    assert.deepEqual(
      messages.map(({ data }) => JSON.parse(data).scope),
      [THERE],
    )
    await reader.leave()
  })

  it('resumes after the last id without a gap', async () => {
    const reader = await open()
    await reader.begun()
    const { lastId } = reader
    await reader.leave()
    await save(firstScope, ++version)
    await save(secondScope, version)
    const resumed = await open({ lastEventId: lastId })
    assert.equal((await resumed.events(2)).length, 2)
    await save(firstScope, ++version)
    assert.deepEqual(versionsOf(await resumed.events(3)).slice(2), [version])
    await resumed.leave()
  })

  it('weighs how many events are replayed, and refuses none because it is behind (J01, J04)', async () => {
    const { connection, sealingKeyFiles } = http
    const limited = await testHttp({
      connection,
      sealingKeyFiles,
      rateLimit: { perSecond: 0.01, burst: 50 },
      load: { isBehind: () => true },
    })
    const reader = await open()
    await reader.begun()
    await save(firstScope, ++version)
    await reader.events(1)
    await reader.leave()
    const events = Array.from({ length: 300 }, () => ({
      kind: 'operation' as const,
      scopeId: firstScope,
      objectId: randomUUID(),
    }))
    const { db } = http.runtime.deps
    await db.transaction().execute((tx) => emitEvents(tx, events))
    const [from] = reader.positions.slice(-1)
    assert.ok(from)
    // no event is replayed while an older transaction is open anywhere in the server, also one of another test
    await until(async () => (await readEvents(db, from, 300))?.length === 300)
    const statusOf = async (headers: Record<string, string>): Promise<number> => {
      const authorization = `Bearer ${CREDENTIAL}`
      const assertion = await limited.assertion({ grants: EVERYTHING })
      const response = await limited.runtime.app.request(`${API}/events`, {
        headers: { authorization, 'x-runtime-actor-assertion': assertion, ...headers },
      })
      await response.body?.cancel()
      return response.status
    }
    const again = { 'last-event-id': reader.lastId }
    assert.deepEqual([await statusOf(again), await statusOf(again), await statusOf({})], [200, 429, 200])
    await limited.close()
  })

  it('sends "reset" for an id that is invalid, from the future, or followed by pruned events', async () => {
    const reader = await open()
    await reader.begun()
    await save(firstScope, ++version)
    const [old] = await reader.events(1)
    await save(firstScope, ++version)
    await reader.events(2)
    await reader.leave()
    for (const lastEventId of ['nonsense', '99999999999-1', '0-0']) {
      const answered = await open({ lastEventId })
      assert.deepEqual(
        (await answered.events(1)).map(({ event, data }) => [event, data]),
        [['reset', '{}']],
      )
      await answered.leave()
    }
    const { db } = http.runtime.deps
    await sql`update runtime.event set at = at - interval '25 hours'`.execute(db)
    assert((await pruneEvents(db, 1000)) > 0)
    const tooLate = await open({ lastEventId: old?.id ?? '' })
    assert.equal((await tooLate.events(1))[0]?.event, 'reset')
    const { lastId } = tooLate
    await tooLate.leave()
    // the last pruned event is kept, and a reader that has read up to it missed nothing
    const inTime = await open({ lastEventId: lastId })
    await save(firstScope, ++version)
    assert.deepEqual(versionsOf(await inTime.events(1)), [version])
    await inTime.leave()
  })

  it('waits for a transaction that began earlier and commits later', async () => {
    const reader = await open()
    await reader.begun()
    const early = ++version
    const written = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const slow = save(firstScope, early, () => {
      written.resolve()
      return held.promise
    })
    await written.promise
    await save(secondScope, ++version)
    await new Promise((resolve) => setTimeout(resolve, 300))
    const sentBefore = reader.messages.filter(({ event }) => event !== '').length
    held.resolve()
    await slow
    assert.equal(sentBefore, 0, 'the later event waits')
    assert.deepEqual(versionsOf(await reader.events(2)), [early, version])
    await reader.leave()
  })

  it('loses no event over many disconnects during concurrent writes', async () => {
    const scopes = await Promise.all(
      Array.from({ length: 8 }, (_, n) => makeScope({ ...HERE, applicationRuntimeId: `app-${n}` })),
    )
    const saves = 15
    const starting = await open()
    await starting.begun()
    let lastEventId = starting.lastId
    await starting.leave()

    // the same pauses in each run
    const pauses = new SeededRandom(1)
    let isWriting = true
    const writing = Promise.all(
      scopes.map(async (scopeId) => {
        for (let n = 2; n <= saves + 1; n++)
          await save(scopeId, n, () => new Promise((resolve) => setTimeout(resolve, pauses.below(20))))
      }),
    ).then(() => (isWriting = false))

    const newest = new Map<string, number>()
    let cuts = 0
    const isComplete = () => scopes.every((scopeId) => newest.get(String(scopeId)) === saves + 1)
    while (!isComplete()) {
      assert(cuts < 500, 'an event was lost')
      const reader = await open({ lastEventId })
      const wait = isWriting ? pauses.below(60) : 300
      await new Promise((resolve) => setTimeout(resolve, wait))
      await reader.leave()
      cuts++
      const { positions } = reader
      positions.forEach((position, at) => {
        const before = positions[at - 1]
        assert(before === undefined || isAfter(position, before), 'in order, without duplicates')
      })
      for (const { data } of reader.messages.filter(({ event }) => event !== '')) {
        const { id, version: sent } = JSON.parse(data)
        assert(sent > (newest.get(id) ?? 0), 'a version is sent once and never decreases')
        newest.set(id, sent)
      }
      lastEventId = reader.lastId || lastEventId
    }
    await writing
    assert(cuts > 3, `only ${cuts} disconnects`)
  })

  it('ends after its lifetime, which begins with its position, so that grants are checked again', async (t) => {
    const short = await testHttp({ events: { lifetimeMs: 1 } })
    t.after(() => short.close())
    const reader = await openEvents(short)
    await reader.ended
  })

  it('ends with the runtime', async () => {
    const other = await testHttp()
    const reader = await openEvents(other)
    await other.close()
    await reader.ended
  })
})

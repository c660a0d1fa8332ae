import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { Actor } from '../../model/actor.ts'
import { leaseOperations } from '../../store/operations/lease-operations.ts'
import type { LeaseRequest } from '../../store/operations/lease-operations.ts'
import { lockLeased } from '../../store/operations/operations.ts'
import { persistTransitions } from '../../store/operations/persist-transitions.ts'
import { renewLeases } from '../../store/operations/leases.ts'
import { inTransaction } from '#database/transaction.ts'
import { actorWith } from '../../testing/runtime.ts'
import { countOperations, listOperations } from './list.ts'
import { readOperation } from './read.ts'
import { retryOperation } from './runs.ts'
import { SCOPE, testEngine } from '../../testing/engine.ts'
import { planWith } from '../../testing/plan.ts'
import type { TestEngine } from '../../testing/engine.ts'
import type { OperationRow } from '../../model/operation.ts'

suite('operations in the API', { concurrency: false }, () => {
  let engine: TestEngine
  const made: OperationRow[] = []

  before(async () => {
    engine = await testEngine()
    for (let index = 0; index < 7; index++)
      made.push(await engine.freeze({ installation: await engine.installation(), plan: planWith() }))
  })
  after(() => engine.close())

  const list = (query: object, actor: Actor = engine.runtime.actor) =>
    listOperations(
      { deps: engine.deps, actor },
      { params: {}, query: runtimeApi['GET /operations'].query.parse(query), body: undefined },
    )
  const idsOf = async (query: object, actor?: Actor) =>
    (await list(query, actor)).items.map(({ operationId }) => operationId)
  const onlyIn = (workspaceId: number) =>
    actorWith([{ permissions: ['read'], scope: { ...SCOPE, workspaceId } }], 'Grace')

  test('pages contain each operation once, newest first or oldest first', async () => {
    for (const sort of ['-createdAt', 'createdAt'] as const) {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await list({ limit: '3', sort, ...(cursor !== undefined && { cursor }) })
        assert.ok(page.items.length <= 3)
        seen.push(...page.items.map(({ operationId }) => operationId))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      const oldestFirst = made.map(({ operation_id }) => operation_id)
      assert.deepEqual(seen, sort === 'createdAt' ? oldestFirst : oldestFirst.toReversed())
    }
  })

  test('operations created at the same time are not lost between pages', async () => {
    const { db } = engine.runtime
    await db
      .updateTable('runtime.operation')
      .set({ created_at: '2026-01-01T00:00:00.123456Z' })
      .where(
        'operation_id',
        'in',
        made.slice(0, 4).map(({ operation_id }) => operation_id),
      )
      .execute()
    const first = await list({ limit: '2', sort: 'createdAt' })
    const second = await list({ limit: '2', sort: 'createdAt', cursor: first.nextCursor })
    const ids = [...first.items, ...second.items].map(({ operationId }) => operationId)
    assert.deepEqual(
      ids.toSorted(),
      made
        .slice(0, 4)
        .map(({ operation_id }) => operation_id)
        .toSorted(),
    )
  })

  test('a cursor of another list is refused', async () => {
    for (const cursor of ['x', 'W10', Buffer.from('[1e300,"x"]').toString('base64url')])
      await assert.rejects(list({ cursor }), { code: 'REQUEST_INVALID' })
  })

  test('filters narrow the list', async () => {
    const [one] = made
    assert.ok(one !== undefined)
    const id = one.operation_id
    assert.deepEqual(await idsOf({ bundleInstallId: one.bundle_install_id }), [id])
    assert.deepEqual(await idsOf({ workspaceId: String(one.workspace_id) }), [id])
    assert.deepEqual(await idsOf({ q: id.slice(-12) }), [id])
    assert.equal((await idsOf({ q: '%' })).length, 0)
    assert.equal((await idsOf({ q: 'CR' })).length, 7)
    assert.equal((await idsOf({ state: 'PENDING,FAILED', operationType: 'INSTALL' })).length, 7)
    assert.equal((await idsOf({ state: 'FAILED' })).length, 0)
    assert.equal((await idsOf({ pluginId: 'provisioner' })).length, 7)
    assert.equal((await idsOf({ pluginId: 'other' })).length, 0)
    assert.equal((await idsOf({ errorCode: 'BROKEN' })).length, 0)
    assert.equal((await idsOf({ requestedBy: 'ada', phase: 'BEFORE_RESOURCES' })).length, 7)
    assert.equal((await idsOf({ until: '2026-01-01T00:00:00.124Z' })).length, 4)
    assert.equal((await idsOf({ since: '2026-01-01T00:00:00.124Z' })).length, 3)
    assert.equal((await idsOf({ since: 'PT1H' })).length, 3)
    assert.equal((await idsOf({ until: 'PT1H' })).length, 4)
    assert.equal((await idsOf({ since: 'P9999D', until: 'PT1H' })).length, 4)
  })

  test('people see only what they may, and anything else is not found', async () => {
    const [one, other] = made
    assert.ok(one !== undefined && other !== undefined)
    const actor = onlyIn(one.workspace_id)
    assert.deepEqual(await idsOf({}, actor), [one.operation_id])
    assert.deepEqual(await idsOf({}, actorWith([])), [])
    const read = (operationId: string) =>
      readOperation({ deps: engine.deps, actor }, { params: { operationId }, query: {}, body: undefined })
    assert.equal((await read(one.operation_id)).operationId, one.operation_id)
    await assert.rejects(read(other.operation_id), { code: 'NOT_FOUND' })
    const retry = (operationId: string) =>
      engine.runtime.write(
        (context) => retryOperation(context, { params: { operationId }, query: {}, body: { run: 1 } }),
        actor,
      )
    await assert.rejects(retry(other.operation_id), { code: 'NOT_FOUND' })
    await assert.rejects(retry(one.operation_id), { code: 'PERMISSION_DENIED' })
  })

  test('counts group states by time, limited to what may be seen', async () => {
    const [one] = made
    assert.ok(one !== undefined)
    const count = (query: object, actor = engine.runtime.actor) =>
      countOperations(
        { deps: engine.deps, actor },
        { params: {}, query: runtimeApi['GET /operations/counts'].query.parse(query), body: undefined },
      )
    const range = { since: '2026-01-01T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z' }
    assert.deepEqual(await count(range), {
      bucket: 'hour',
      buckets: [{ since: '2026-01-01T00:00:00.000Z', counts: { PENDING: 4 } }],
    })
    assert.deepEqual(
      (await count({ since: 'PT1H', bucket: 'minute' })).buckets.flatMap(({ counts }) =>
        Object.values(counts),
      ),
      [3],
    )
    assert.deepEqual((await count(range, onlyIn(one.workspace_id))).buckets[0]?.counts, { PENDING: 1 })
    await assert.rejects(count({ since: '2020-01-01T00:00:00.000Z', bucket: 'minute' }), {
      code: 'REQUEST_INVALID',
    })
  })

  test('the detail of an operation that has not started', async () => {
    const [one] = made
    assert.ok(one !== undefined)
    const detail = await readOperation(engine.runtime.read, {
      params: { operationId: one.operation_id },
      query: {},
      body: undefined,
    })
    const notCalled = {
      pluginId: 'provisioner',
      order: 1,
      outcome: null,
      runAttempts: 0,
      uncertainAttempts: 0,
      attempts: [],
      writes: [],
    }
    assert.deepEqual(
      detail.stages.map(({ state, calls }) => [
        state,
        calls.map((call) => Object.fromEntries(Object.entries(call).filter(([name]) => name !== 'request'))),
      ]),
      [
        ['PENDING', [notCalled]],
        ['PENDING', [notCalled]],
      ],
    )
    assert.equal(detail.resources[0]?.state, 'PENDING')
    assert.deepEqual(runtimeApi['GET /operations/{operationId}'].answer.parse(detail), detail)
  })
})

suite('leases', { concurrency: false }, () => {
  let engine: TestEngine
  before(async () => {
    engine = await testEngine()
  })
  after(() => engine.close())

  const claimed = async (what: LeaseRequest) =>
    (await leaseOperations(engine.runtime.db, what)).map(({ operation }) => operation)
  const claim = (owner: string, leaseMs: number, limit = 10) =>
    claimed({ owner, leaseMs, limit, perPlugin: 50, rooms: [] })
  const leaseOf = (row: OperationRow | undefined) => {
    assert.ok(row !== undefined && row.lease_owner !== null)
    return { operationId: row.operation_id, owner: row.lease_owner, epoch: row.lease_epoch }
  }
  const holds = (lease: ReturnType<typeof leaseOf>) =>
    inTransaction(engine.runtime.db, async (tx) => {
      const held = await lockLeased(tx, [lease], { skipLocked: false })
      return held.length === 1
    })

  test('one worker leases an operation at a time, and an expired lease can be neither used nor renewed', async () => {
    const { db } = engine.runtime
    await engine.freeze({ installation: await engine.installation(), plan: planWith() })
    const lease = leaseOf((await claim('a', 150))[0])
    assert.deepEqual(await claim('b', 1_000), [])
    assert.equal(await holds(lease), true)
    assert.equal(await holds({ ...lease, owner: 'b' }), false)
    assert.equal(await holds({ ...lease, epoch: lease.epoch + 1 }), false)
    await engine.deps.clock.sleep(200)

    // no worker has leased it again, and yet the lease is lost
    assert.equal(await holds(lease), false)
    assert.deepEqual(await renewLeases(db, [lease], 1_000), [])
    const move = { kind: 'keep', phase: 'BEFORE_RESOURCES', leaseMs: 1_000 } as const
    const kept = await persistTransitions(db, engine.deps.vault, {
      leases: [lease],
      moves: [{ lease, move }],
    })
    assert.equal(kept.moved.size, 0)

    const next = leaseOf((await claim('b', 1_000))[0])
    assert.equal(next.epoch, lease.epoch + 1)
    assert.equal(await holds(lease), false)
    assert.deepEqual(await renewLeases(db, [lease, next], 1_000), [
      { operationId: next.operationId, epoch: next.epoch },
    ])
    const end = {
      kind: 'fail',
      phase: 'BEFORE_RESOURCES',
      failure: { errorCode: 'X', message: 'x', retryable: false },
    } as const
    const ended = await persistTransitions(db, engine.deps.vault, {
      leases: [next],
      moves: [{ lease: next, move: end }],
    })
    assert.equal(ended.moved.size, 1)
    assert.equal(await holds(next), false)
  })

  test('a step on a fresh lease keeps its expiry, and a later step extends it', async () => {
    const { db } = engine.runtime
    const { operation_id } = await engine.freeze({
      installation: await engine.installation(),
      plan: planWith(),
    })
    const row = (await claim('a', 5_000, 50)).find((one) => one.operation_id === operation_id)
    const lease = leaseOf(row)
    const endAfter = async (leaseMs: number | null) => {
      const move = { kind: 'keep', phase: 'BEFORE_RESOURCES', leaseMs } as const
      const kept = await persistTransitions(db, engine.deps.vault, {
        leases: [lease],
        moves: [{ lease, move }],
      })
      assert.equal(kept.moved.size, 1)
      const { available_at } = await db
        .selectFrom('runtime.operation')
        .select('available_at')
        .where('operation_id', '=', operation_id)
        .executeTakeFirstOrThrow()
      return available_at
    }
    assert.equal(await endAfter(null), row?.available_at)
    assert.ok((await endAfter(60_000)) > String(row?.available_at))
  })

  test('workers that request leases at the same time share the operations', async () => {
    for (let index = 0; index < 10; index++)
      await engine.freeze({ installation: await engine.installation(), plan: planWith() })
    const shares = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => claim(owner, 5_000, 4)))
    const ids = shares.flat().map(({ operation_id }) => operation_id)
    assert.equal(new Set(ids).size, ids.length)
    assert.ok(ids.length >= 4)
  })

  test('operations of a plugin without capacity are left out', async () => {
    const { operation_id } = await engine.freeze({
      installation: await engine.installation(),
      plan: planWith(),
    })
    const others = await claimed({
      owner: 'a',
      leaseMs: 1_000,
      limit: 50,
      perPlugin: 50,
      rooms: [{ pluginId: 'provisioner', room: 0 }],
    })
    assert.ok(others.every((row) => row.operation_id !== operation_id))
  })
})

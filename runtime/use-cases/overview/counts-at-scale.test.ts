import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { countOperations, listOperations } from '../operations/list.ts'
import { testEngine } from '../../testing/engine.ts'
import type { TestEngine } from '../../testing/engine.ts'
import { planWith } from '../../testing/plan.ts'
import { mergeInstallationCounts, rollUpOperations } from '../../store/overview/aggregate-counts.ts'
import { actorWith } from '../../testing/runtime.ts'
import { readSummary } from './overview.ts'

describe('counts of past hours', () => {
  let engine: TestEngine
  const made: string[] = []
  before(async () => {
    engine = await testEngine()
    for (let index = 0; index < 40; index++) {
      const { operation_id } = await engine.freeze({
        installation: await engine.installation(),
        plan: planWith(),
      })
      made.push(operation_id)
    }
    // one every seventeen minutes, every fifth failed
    await sql`
      update runtime.operation set created_at = clock_timestamp() - place * interval '17 minutes',
        state = case when place % 5 = 0 then 'FAILED' else 'SUCCEEDED' end,
        phase = case when place % 5 = 0 then phase else 'DONE' end, holds_claim = place % 5 = 0
      from unnest(${made}::uuid[]) with ordinality as given (id, place) where operation_id = id`.execute(
      engine.runtime.db,
    )
    await sql`update runtime.operation_counted set counted_until = date_trunc('hour', clock_timestamp() - interval '40 hours', 'UTC')`.execute(
      engine.runtime.db,
    )
  })
  after(() => engine.close())

  const everywhere = () => engine.runtime.actor
  const inEnvironment = () => actorWith([{ permissions: ['read'], scope: { environmentKey: 'prod' } }])
  const counted = async (query: Record<string, string>, actor = everywhere()) => {
    const parsed = runtimeApi['GET /operations/counts'].query.parse(query)
    const input = { params: {}, query: parsed, body: undefined }
    return (await countOperations({ deps: engine.deps, actor }, input)).buckets
  }
  const totals = async () => {
    const { rows } = await sql<{ total: number }>`
      select coalesce(sum(total), 0)::bigint as total from runtime.operation_total`.execute(engine.runtime.db)
    return rows[0]?.total ?? 0
  }

  it('are the same before and after they are aggregated', async () => {
    const now = Date.now()
    const spans = Array.from({ length: 30 }, (_, index) => {
      const since = new Date(now - (index + 1) * 29 * 60_000).toISOString()
      const until = new Date(now - index * 7 * 60_000).toISOString()
      return { since, until, bucket: index % 2 === 0 ? 'hour' : 'day' }
    })
    const answers = async () =>
      Promise.all(spans.flatMap((span) => [counted(span), counted(span, inEnvironment())]))
    // a filter counts the operations themselves
    const plain = await Promise.all(
      spans.flatMap((span) => {
        const types = { ...span, operationType: 'INSTALL,UPGRADE,CONFIGURE,DETACH' }
        return [counted(types), counted(types, inEnvironment())]
      }),
    )
    assert.ok(plain.some((buckets) => buckets.length > 3))
    assert.deepEqual(await answers(), plain)
    assert.equal(await totals(), 0)
    while (await rollUpOperations(engine.runtime.db));
    assert.ok((await totals()) > 20)
    assert.equal(await rollUpOperations(engine.runtime.db), false)
    assert.deepEqual(await answers(), plain)
  })

  it('exclude hours to which an open transaction may still add', async () => {
    const { db } = engine.runtime
    await sql`truncate runtime.operation_total`.execute(db)
    await sql`update runtime.operation_counted set counted_until = date_trunc('hour', clock_timestamp() - interval '40 hours', 'UTC')`.execute(
      db,
    )
    const { rows } = await sql<{ until: string }>`
      select date_trunc('hour', clock_timestamp(), 'UTC') as until`.execute(db)
    await db.transaction().execute(async (open) => {
      await sql`select 1`.execute(open)
      while (await rollUpOperations(db));
    })
    const [row] = (
      await sql<{ until: string }>`select counted_until as until from runtime.operation_counted`.execute(db)
    ).rows
    assert.ok(row !== undefined && rows[0] !== undefined && row.until <= rows[0].until)
  })

  it('of installations are the sum of their changes', async () => {
    const { db } = engine.runtime
    const summary = () =>
      readSummary(
        { deps: engine.deps, actor: everywhere() },
        { params: {}, query: runtimeApi['GET /summary'].query.parse({}), body: undefined },
      )
    const before = await summary()
    assert.equal(before.installations.NOT_INSTALLED, 40)
    assert.deepEqual(before.claims, [{ operationType: 'INSTALL', state: 'FAILED', count: 8 }])
    await sql`update runtime.installation set state = 'ACTIVE' where bundle_install_id in
      (select bundle_install_id from runtime.installation limit 15)`.execute(db)
    const changed = await summary()
    assert.deepEqual(changed.installations, { NOT_INSTALLED: 25, ACTIVE: 15, DETACHED: 0 })
    await mergeInstallationCounts(db)
    assert.deepEqual(await summary(), changed)
  })

  it('search finds an operation by the start and the end of its id, and by who requested it', async () => {
    const [id = ''] = made
    const idsOf = async (q: string) => {
      const query = runtimeApi['GET /operations'].query.parse({ q, limit: '200' })
      const found = await listOperations(
        { deps: engine.deps, actor: everywhere() },
        { params: {}, query, body: undefined },
      )
      return found.items.map(({ operationId }) => operationId)
    }
    assert.deepEqual(await idsOf(id), [id])
    assert.deepEqual(await idsOf(id.slice(-8).toUpperCase()), [id])
    assert.ok((await idsOf(id.slice(0, 13))).includes(id))
    assert.equal((await idsOf('ADA')).length, 40)
    assert.deepEqual(await idsOf('nobody'), [])
  })
})

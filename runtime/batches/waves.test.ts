import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { Batch, BatchPlan } from '#contract/runtime-api/batches.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { readBatch, readItems, untilBatch } from '../testing/batches.ts'
import { bindingOf, bundleOf, moduleOf, startRuleHarness, TEXT } from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'

const parts = {
  resources: [moduleOf('main', { name: TEXT })],
  plugins: [bindingOf('waved', 1, { main: {} })],
}
const first = bundleOf('fleet', parts)
const second = bundleOf('fleet', { ...parts, version: '2.0.0' })

let deps: RuleHarness
before(async () => {
  deps = await startRuleHarness()
  await deps.register('waved')
  await deps.publish(first, second)
})
after(() => deps.close())

const install = async (...environments: string[]): Promise<string[]> => {
  const ids: string[] = []
  for (const environmentKey of environments)
    ids.push(await deps.installed(first, { scope: { ...deps.newScope(), environmentKey } }))
  return ids
}
const upgradeOf = (targets: string[], waves: JsonObject): JsonObject => ({
  action: 'UPGRADE',
  targets,
  input: { targetVersion: '2.0.0' },
  waves,
})
const make = async (targets: string[], waves: JsonObject): Promise<Batch> =>
  Batch.parse((await deps.ok('/batches', { method: 'POST', body: upgradeOf(targets, waves) }))['batch'])
const read = (id: string) => readBatch(deps, id)
const itemsOf = (id: string) => readItems(deps, id)
const reaches = (id: string, isReached: (batch: Batch) => boolean) => untilBatch(deps, id, isReached)
const finished = (id: string) => reaches(id, ({ finishedAt }) => finishedAt !== null)
const waits = (id: string) => reaches(id, ({ waiting }) => waiting !== undefined)
const continueWith = (id: string, body: JsonObject) =>
  deps.http.call(`/batches/${id}/continue`, { method: 'POST', body })
const fail = () => deps.plugin.script(() => ({ outcome: 'FAILED' }))
const succeed = () => deps.plugin.script(() => ({ outcome: 'APPLIED' }))

/** Seconds from the last result of each wave to the start of the next. */
const pausesIn = async (batchId: string): Promise<number[]> => {
  const rows = await deps.db
    .selectFrom('runtime.batch_item')
    .select(['wave', 'started_at', 'ended_at'])
    .where('batch_id', '=', batchId)
    .where('wave', 'is not', null)
    .execute()
  const times = (wave: number, of: 'started_at' | 'ended_at') =>
    rows.filter((row) => row.wave === wave).map((row) => Date.parse(row[of] ?? ''))
  const last = Math.max(...rows.map(({ wave }) => wave ?? 0))
  return Array.from({ length: last - 1 }, (_, index) => {
    const started = Math.min(...times(index + 2, 'started_at'))
    return (started - Math.max(...times(index + 1, 'ended_at'))) / 1_000
  })
}

describe('a batch in waves', () => {
  it('is planned and carried out wave by wave, without targets that the plan refuses', async () => {
    const fleet = await install('prod', 'prod', 'prod', 'prod', 'prod')
    await deps.succeeds(await deps.upgrade(fleet[0] ?? '', { targetVersion: '2.0.0' }))
    const waves = { sizes: [1, '25%'] }
    const body = upgradeOf(fleet, waves)
    const planned = BatchPlan.parse(await deps.ok('/batches/plan', { method: 'POST', body }))
    assert.deepEqual(
      planned.items.map(({ wave }) => wave),
      [undefined, 1, 2, 3, 3],
    )
    const { batchId } = await make(fleet, waves)
    const done = await finished(batchId)
    assert.deepEqual(done.waves, { sizes: [1, '25%'], soakSeconds: 0, maxFailures: 0 })
    assert.deepEqual(
      done.byWave?.map(({ wave, counts }) => [wave, counts.SUCCEEDED]),
      [
        [1, 1],
        [2, 1],
        [3, 2],
      ],
    )
    assert.equal(done.counts.REFUSED, 1)
    assert.ok((await pausesIn(batchId)).every((seconds) => seconds >= 0))
  })

  it('is divided by environment, in the order that was asked for', async () => {
    const fleet = await install('prod', 'test', 'prod', 'lab')
    const { batchId } = await make(fleet, { environments: ['test', 'prod'] })
    const done = await finished(batchId)
    assert.deepEqual(
      done.byWave?.map(({ environments, counts }) => [environments, counts.SUCCEEDED]),
      [
        [['test'], 1],
        [['prod'], 2],
        [['lab'], 1],
      ],
    )
    // items are in the order of their waves
    assert.deepEqual(
      (await itemsOf(batchId)).map(({ wave }) => wave),
      [1, 2, 2, 3],
    )
  })

  it('waits for the soak time by the clock of the database, then goes on by itself', async () => {
    const { batchId } = await make(await install('prod', 'prod'), { sizes: [1], soakSeconds: 2 })
    const waiting = await waits(batchId)
    assert.equal(waiting.state, 'RUNNING')
    assert.deepEqual([waiting.waiting?.wave, waiting.waiting?.because], [2, ['SOAK']])
    const [item] = await itemsOf(batchId)
    assert.ok(item)
    const { ended_at } = await deps.db
      .selectFrom('runtime.batch_item')
      .select('ended_at')
      .where('batch_id', '=', batchId)
      .where('wave', '=', 1)
      .executeTakeFirstOrThrow()
    assert.equal(Date.parse(waiting.waiting?.until ?? ''), Math.trunc(Date.parse(ended_at ?? '')) + 2_000)
    const listed = await deps.ok('/batches', {})
    const [newest] = Batch.array().parse(listed['items'])
    assert.deepEqual(newest?.waiting, waiting.waiting)
    await finished(batchId)
    const [pause] = await pausesIn(batchId)
    assert.ok(pause !== undefined && pause >= 2 && pause < 10, String(pause))
  })

  it('waits after too many failures until they are retried with success', async () => {
    const fleet = await install('prod', 'prod', 'prod')
    fail()
    const { batchId } = await make(fleet, { sizes: [2], maxFailures: '49%' })
    const { waiting } = await waits(batchId)
    succeed()
    assert.deepEqual(waiting, { wave: 2, because: ['FAILURES'], plugins: [] })
    const failed = (await itemsOf(batchId)).filter(({ state }) => state === 'FAILED')
    assert.equal(failed.length, 2)
    for (const { operationId } of failed) await deps.retry(await deps.operation(operationId ?? ''))
    const done = await finished(batchId)
    assert.deepEqual([done.counts.FAILED, done.counts.SUCCEEDED], [2, 1])
  })

  it('continues in spite of failures when a person says why, with that wave and no other', async () => {
    const fleet = await install('prod', 'prod', 'prod')
    fail()
    const { batchId } = await make(fleet, { sizes: [1, 1], soakSeconds: 600 })
    const { waiting } = await waits(batchId)
    assert.deepEqual(waiting?.because, ['SOAK', 'FAILURES'])
    assert.equal((await continueWith(batchId, { wave: 2 })).errorCode, 'REQUEST_INVALID')
    assert.equal((await continueWith(batchId, {})).errorCode, 'BATCH_NOT_PAUSED')
    assert.equal((await continueWith(batchId, { wave: 3, reason: 'No' })).errorCode, 'BATCH_NOT_PAUSED')
    succeed()
    const reason = 'The failure is known'
    assert.equal((await continueWith(batchId, { wave: 2, reason })).errorCode, '0')
    // repeated, it does not start the next wave too
    assert.equal((await continueWith(batchId, { wave: 2, reason })).errorCode, 'BATCH_NOT_PAUSED')
    const next = await reaches(batchId, (batch) => batch.waiting?.wave === 3)
    assert.deepEqual(next.waiting?.because, ['SOAK'])
    assert.deepEqual(
      next.byWave?.map(({ released }) => released),
      [undefined, true, undefined],
    )
    const entry = await deps.db
      .selectFrom('runtime.audit_entry')
      .select(['reason', 'outcome'])
      .where('action', '=', 'batch.continue')
      .where('outcome', '=', 'DONE')
      .orderBy('sequence', 'desc')
      .executeTakeFirstOrThrow()
    assert.equal(entry.reason, reason)
    // while it rests: what is left is skipped at once
    await deps.ok(`/batches/${batchId}/stop`, { method: 'POST', body: {} })
    const stopped = await finished(batchId)
    assert.deepEqual([stopped.state, stopped.counts.SKIPPED, stopped.waiting], ['STOPPED', 1, undefined])
  })

  it('waits if too few attempts of a plugin that the wave called have succeeded', async () => {
    const fleet = await install('prod', 'prod')
    let attempts = 0
    deps.plugin.script(() => (++attempts === 1 ? { outcome: 'UNKNOWN' } : { outcome: 'APPLIED' }))
    const { batchId } = await make(fleet, { sizes: [1], minPluginSuccess: 70 })
    const { waiting, counts } = await waits(batchId)
    assert.equal(counts.SUCCEEDED, 1)
    assert.deepEqual(waiting, {
      wave: 2,
      because: ['PLUGINS'],
      plugins: [{ pluginId: 'waved', success: 66 }],
    })
    // others that call it make it healthy again
    const scopes: Scope[] = [deps.newScope(), deps.newScope()]
    for (const scope of scopes) await deps.installed(first, { scope })
    assert.equal((await finished(batchId)).counts.SUCCEEDED, 2)
  })

  it('pauses with its grants, and judges the conditions again when somebody continues', async () => {
    const fleet = await install('prod', 'prod')
    fail()
    const { batchId } = await make(fleet, { sizes: [1] })
    await waits(batchId)
    succeed()
    await deps.db
      .updateTable('runtime.batch')
      .set({ grants_until: '2020-01-01T00:00:00Z', available_at: '2020-01-01T00:00:00Z' })
      .where('batch_id', '=', batchId)
      .execute()
    const paused = await reaches(batchId, ({ state }) => state === 'PAUSED')
    assert.deepEqual([paused.because, paused.waiting], ['GRANTS_EXPIRED', undefined])
    assert.equal((await continueWith(batchId, {})).errorCode, '0')
    const { waiting } = await waits(batchId)
    assert.deepEqual(waiting?.because, ['FAILURES'])
    await sleep(1_500)
    assert.equal((await read(batchId)).counts.PENDING, 1)
    assert.equal((await continueWith(batchId, { wave: 2, reason: 'Known' })).errorCode, '0')
    await finished(batchId)
  })

  it('refuses a division that is none', async () => {
    const fleet = await install('prod')
    for (const waves of [
      {},
      { sizes: [1], environments: ['prod'] },
      { sizes: [] },
      { sizes: [0] },
      { sizes: ['0%'] },
      { sizes: ['101%'] },
      { environments: ['prod', 'prod'] },
      { sizes: [1], maxFailures: '-1%' },
      { sizes: [1], soakSeconds: 86_401 },
      { sizes: [1], minPluginSuccess: 0 },
    ] as JsonObject[]) {
      const body = upgradeOf(fleet, waves)
      const answer = await deps.http.call('/batches/plan', { method: 'POST', body })
      assert.equal(answer.errorCode, 'REQUEST_INVALID', JSON.stringify(waves))
    }
  })
})

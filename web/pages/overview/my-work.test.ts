import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Batch, Operation } from '#contract/console-api/shapes.ts'
import { countScopes, mineOf } from './my-work.ts'

const NOW = Date.parse('2026-11-22T12:00:00.000Z')
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString()
const ME = { personId: 'me', now: NOW }

function operation(id: string, fields: Partial<Operation> = {}, bundleId = 'crm'): Operation {
  return {
    operationId: id,
    operationType: 'UPGRADE',
    state: 'SUCCEEDED',
    installation: { bundle: { environmentKey: 'production', bundleId } },
    requestedBy: { id: 'me', name: 'Me' },
    createdAt: ago(20),
    finishedAt: ago(10),
    ...fields,
    // only what the function reads
  } as unknown as Operation
}
const batch = (id: string, fields: Partial<Batch> = {}): Batch =>
  ({
    batchId: id,
    requestedBy: { id: 'me', name: 'Me' },
    createdAt: ago(30),
    finishedAt: null,
    ...fields,
  }) as unknown as Batch
const idsOf = (mine: ReturnType<typeof mineOf>) =>
  mine.map((item) =>
    item.kind === 'batch'
      ? item.batch.batchId
      : item.operations.map(({ operationId }) => operationId).join('+'),
  )

test('what runs comes before what has ended, each the newest first', () => {
  const mine = mineOf(
    [
      operation('done', { finishedAt: ago(1) }),
      operation('running', { state: 'RUNNING', finishedAt: null, createdAt: ago(2) }),
    ],
    [batch('long'), batch('over', { finishedAt: ago(5) })],
    ME,
  )
  assert.deepEqual(idsOf(mine), ['running', 'long', 'done', 'over'])
})

test('what others requested, and what ended more than a day ago, is left out', () => {
  const other = { id: 'other', name: 'Other' }
  const mine = mineOf(
    [operation('old', { finishedAt: ago(60 * 25) }), operation('theirs', { requestedBy: other })],
    [batch('their batch', { requestedBy: other })],
    ME,
  )
  assert.deepEqual(mine, [])
})

test('the scopes of a line are counted once each', () => {
  const inScope = (workspaceId: number, environmentKey = 'production') =>
    operation('saved', {
      installation: { environmentKey, applicationRuntimeId: 'eu', workspaceId } as Operation['installation'],
    })
  assert.equal(countScopes([inScope(1), inScope(1), inScope(1)]), 1)
  assert.equal(countScopes([inScope(1), inScope(2), inScope(1)]), 2)
  assert.equal(countScopes([inScope(1), inScope(1, 'staging')]), 2)
})

test('operations that did the same with the same result are one line', () => {
  const mine = mineOf(
    [
      operation('a', { finishedAt: ago(1) }),
      operation('b', { finishedAt: ago(2) }),
      operation('failed', { state: 'FAILED', finishedAt: ago(3) }),
      operation('billing', { finishedAt: ago(4) }, 'billing'),
    ],
    [],
    ME,
  )
  assert.deepEqual(idsOf(mine), ['a+b', 'failed', 'billing'])
})

test('several operations of a batch are in its line only, and one beside it in a line of its own', () => {
  const summary = {
    targets: 2,
    bundles: [{ bundleId: 'crm', title: 'CRM', targets: 2, versions: [] }],
    bundleCount: 1,
  }
  const upgrade = batch('upgrade', { action: 'UPGRADE', summary, createdAt: ago(30), finishedAt: ago(5) })
  const two = ['a', 'b'].map((id) => operation(id))
  assert.deepEqual(idsOf(mineOf(two, [upgrade], ME)), ['upgrade'])
  assert.deepEqual(idsOf(mineOf([operation('one')], [upgrade], ME)), ['upgrade', 'one'])
  const before = two.map((one) => ({ ...one, createdAt: ago(60) }))
  assert.deepEqual(idsOf(mineOf(before, [upgrade], ME)), ['upgrade', 'a+b'])
})

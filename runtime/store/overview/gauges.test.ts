import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { testEngine } from '../../testing/engine.ts'
import { planWith, reader } from '../../testing/plan.ts'
import { readLags } from './gauges.ts'

const engine = await testEngine()
after(() => engine.close())

test('the oldest lock is that of the oldest operation that is not over, also of a failed one', async () => {
  const { db } = engine.runtime
  await engine.register('first')
  assert.equal((await readLags(db, null)).lock, 0)
  engine.plugin.script(() => ({ outcome: 'FAILED' }))
  const installation = await engine.installation()
  const { operation_id } = await engine.freeze({ installation, plan: planWith([reader('first', 1)]) })
  engine.work()
  await engine.until(operation_id, 'FAILED')
  await sql`update runtime.operation set created_at = created_at - interval '5 hours'`.execute(db)
  const { lock } = await readLags(db, null)
  assert.ok(lock > 18_000 && lock < 18_300, String(lock))
  const unassigned = async (): Promise<number> => (await readLags(db, null)).unassigned
  assert.ok((await unassigned()) < 60)
  await sql`update runtime.operation set finished_at = created_at`.execute(db)
  assert.ok((await unassigned()) > 18_000)
  await sql`update runtime.operation set assignee_id = 'p1', assignee_name = 'P1'`.execute(db)
  assert.equal(await unassigned(), 0)
  await sql`update runtime.operation set holds_claim = false`.execute(db)
  assert.equal((await readLags(db, null)).lock, 0)
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { testEngine } from '../testing/engine.ts'
import type { TestEngine } from '../testing/engine.ts'
import { planWith } from '../testing/plan.ts'

let engine: TestEngine
before(async () => {
  engine = await testEngine()
})
after(() => engine.close())

test('each attempt has its own token, because the previous one may have expired (E06)', async () => {
  await engine.register('provisioner')
  engine.plugin.script((_, earlier) => (earlier === 0 ? 'reset' : { outcome: 'APPLIED' }))
  let signed = 0
  const signer = { ...engine.deps.signer, sign: () => Promise.resolve(`signed ${++signed}`) }
  const installation = await engine.installation()
  const { operation_id } = await engine.freeze({ installation, plan: planWith() })
  const worker = engine.work({}, { ...engine.deps, signer })
  await engine.until(operation_id, 'SUCCEEDED')
  await worker.stop()
  assert.deepEqual(
    engine.plugin.calls.map(({ stage, authorization }) => [stage, authorization]),
    [
      ['BEFORE_RESOURCES', 'Bearer signed 1'],
      ['BEFORE_RESOURCES', 'Bearer signed 2'],
      ['AFTER_RESOURCES', 'Bearer signed 3'],
      ['AFTER_RESOURCES', 'Bearer signed 4'],
    ],
  )
})

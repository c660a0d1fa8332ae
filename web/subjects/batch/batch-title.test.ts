import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchAction } from './batch-title.ts'

test('an upgrade of only newer versions is a downgrade', () => {
  const actionFor = (versions: string[], targetVersion: string) =>
    batchAction({
      action: 'UPGRADE',
      summary: {
        targets: 3,
        bundles: [{ bundleId: 'crm-suite', title: null, targets: 3, versions }],
        bundleCount: 1,
      },
      input: { targetVersion, properties: [] },
    })
  assert.equal(actionFor(['1.1.0', '1.10.0'], '1.0.0'), 'DOWNGRADE')
  assert.equal(actionFor(['0.9.0', '1.1.0'], '1.0.0'), 'UPGRADE')
  assert.equal(actionFor([], '1.0.0'), 'UPGRADE')
})

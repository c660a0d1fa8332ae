import assert from 'node:assert/strict'
import { it } from 'node:test'
import { batchSubject } from './batch-subject.ts'

it('reads action, number of targets and id', () => {
  const batchId = '01920000-0000-7000-8000-0000000000aa'
  assert.deepEqual(batchSubject(`UPGRADE 12 ${batchId}`), { action: 'UPGRADE', targets: 12, batchId })
  assert.deepEqual(batchSubject('DETACH 1'), { action: 'DETACH', targets: 1, batchId: null })
})

it('leaves other subjects and the texts of earlier versions as they are', () => {
  for (const subject of ['UPGRADE: Fleet to 2.0.0 (3)', 'UPGRADE of crm', 'DETACH 1 and more', ''])
    assert.equal(batchSubject(subject), null, subject)
})

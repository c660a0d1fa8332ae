import assert from 'node:assert/strict'
import { it } from 'node:test'
import { translator } from '../../i18n/testing.ts'
import { operationSubject, batchSubject } from './audit-subject.ts'

const en = await translator('en')
const zh = await translator('zh')

it('names the operation in the language of the person', () => {
  assert.equal(operationSubject('INSTALL of crm-suite', en), 'Install of crm-suite')
  assert.equal(operationSubject('CONFIGURE of crm, run 2', en), 'Configure of crm, run 2')
  assert.equal(operationSubject('CONFIGURE of CRM suite, run 2', en), 'Configure of CRM suite, run 2')
  assert.equal(operationSubject('INSTALL of crm-suite', zh), 'crm-suite 的安装操作')
  assert.equal(operationSubject('CONFIGURE of crm, run 2', zh), 'crm 的配置操作（第 2 轮）')
  assert.equal(operationSubject('DETACH of crm → Ling Zhao', zh), 'crm 的分离操作 → Ling Zhao')
})

it('leaves other subjects as they are', () => {
  for (const subject of ['Plugin of the month', 'UPGRADE 12', '', 'INSTALL of'])
    assert.equal(operationSubject(subject, zh), subject)
})

it('reads action, number of targets and id', () => {
  const batchId = '01920000-0000-7000-8000-0000000000aa'
  assert.deepEqual(batchSubject(`UPGRADE 12 ${batchId}`), { action: 'UPGRADE', targets: 12, batchId })
  assert.deepEqual(batchSubject('DETACH 1'), { action: 'DETACH', targets: 1, batchId: null })
})

it('leaves other subjects and the texts of earlier versions as they are', () => {
  for (const subject of ['UPGRADE: Fleet to 2.0.0 (3)', 'UPGRADE of crm', 'DETACH 1 and more', ''])
    assert.equal(batchSubject(subject), null, subject)
})

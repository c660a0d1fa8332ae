import assert from 'node:assert/strict'
import { it } from 'node:test'
import { translator } from '../../i18n/testing.ts'
import { operationSubject } from './operation-subject.ts'

const en = await translator('en')
const zh = await translator('zh')

it('names the operation in the language of the person', () => {
  assert.equal(operationSubject('INSTALL of crm-suite', en), 'Install of crm-suite')
  assert.equal(operationSubject('CONFIGURE of crm, run 2', en), 'Configure of crm, run 2')
  assert.equal(operationSubject('INSTALL of crm-suite', zh), 'crm-suite 的安装操作')
  assert.equal(operationSubject('CONFIGURE of crm, run 2', zh), 'crm 的配置操作（第 2 轮）')
  assert.equal(operationSubject('DETACH of crm → Ling Zhao', zh), 'crm 的分离操作 → Ling Zhao')
})

it('leaves other subjects as they are', () => {
  for (const subject of ['Plugin of the month', 'UPGRADE 12', '', 'INSTALL of'])
    assert.equal(operationSubject(subject, zh), subject)
})

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { translator } from '../../i18n/testing.ts'
import {
  operationSubject,
  batchSubject,
  batchSubjectText,
  changeSubject,
  isTime,
  plainSubject,
} from './audit-subject.ts'

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

it('shows the ends of ids, and knows a time', () => {
  const id = '01a225e1-5f43-76b7-a8cd-eecaf16ee15f'
  assert.equal(plainSubject(`order-desk ${id}`), 'order-desk …f16ee15f')
  assert.equal(plainSubject(`${id} → 2.0.0`), '…f16ee15f → 2.0.0')
  assert.equal(plainSubject('order-desk'), 'order-desk')
  assert.ok(isTime('2026-11-29T08:00:00.000Z'))
  assert.ok(!isTime('release 2026-11-29'))
})

it('names a change request by its title', () => {
  const changeRequestId = '01a225e1-5f43-76b7-a8cd-eecaf16ee15f'
  assert.deepEqual(changeSubject(`CONFIGURE ${changeRequestId} "Move the "mail" port"`), {
    changeRequestId,
    title: 'Move the "mail" port',
  })
  assert.equal(changeSubject('CONFIGURE of crm'), null)
})

it('leaves other subjects as they are', () => {
  for (const subject of ['Plugin of the month', 'UPGRADE 12', '', 'INSTALL of'])
    assert.equal(operationSubject(subject, zh), subject)
})

it('reads action, number of targets and id', () => {
  const batchId = '01920000-0000-7000-8000-0000000000aa'
  const unnamed = { title: null, bundle: null }
  const upgrade = { action: 'UPGRADE', targets: 12, batchId }
  assert.deepEqual(batchSubject(`UPGRADE 12 ${batchId}`), { ...upgrade, ...unnamed })
  assert.deepEqual(batchSubject('DETACH 1'), { action: 'DETACH', targets: 1, batchId: null, ...unnamed })
  const ofBundle = { ...upgrade, ...unnamed, bundle: 'CRM "suite" of Europe' }
  assert.deepEqual(batchSubject(`UPGRADE 12 ${batchId} of CRM "suite" of Europe`), ofBundle)
  const titled = { ...upgrade, ...unnamed, title: 'Release of "May"' }
  assert.deepEqual(batchSubject(`UPGRADE 12 ${batchId} "Release of "May""`), titled)
})

it('names a batch by its title and its action in the language of the person', () => {
  const of = (subject: string) => {
    const batch = batchSubject(subject)
    assert.ok(batch !== null)
    return [en, zh].map((t) => batchSubjectText(batch, t))
  }
  assert.deepEqual(of('UPGRADE 12 of CRM suite'), [
    'Upgrade 12 installations of CRM suite',
    '升级 CRM suite 的 12 个安装实例',
  ])
  assert.deepEqual(of('CONFIGURE 1 of CRM suite')[0], 'Set properties in 1 installation of CRM suite')
  assert.deepEqual(of('DETACH 2 "End of May"'), [
    '“End of May”: Detach 2 installations',
    '“End of May”：分离 2 个安装实例',
  ])
})

it('leaves other subjects and the texts of earlier versions as they are', () => {
  for (const subject of ['UPGRADE: Fleet to 2.0.0 (3)', 'UPGRADE of crm', 'DETACH 1 and more', ''])
    assert.equal(batchSubject(subject), null, subject)
})

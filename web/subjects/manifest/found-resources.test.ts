import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foundResources, type ResourceTexts } from './found-resources.ts'

const mail: ResourceTexts = {
  locator: 'production/crm-suite/MODULE/crm-mail',
  title: 'CRM mail',
  definitions: {
    smtpHost: {
      kind: 'DATA',
      schema: { type: 'string', title: 'Mail host', description: 'Sends every letter' },
      group: 'Delivery',
    },
  },
  others: () => ['smtp.example.com'],
}
const core: ResourceTexts = {
  locator: 'production/crm-suite/MODULE/crm-core',
  title: 'CRM core',
  definitions: {},
}

const found = (q: string) => foundResources([mail, core], q).map(({ title }) => title)

test('a resource is found by everything that its card shows', () => {
  for (const q of [
    'module/crm-mail',
    'crm MAIL',
    'smtpH',
    'mail host',
    'every letter',
    'delivery',
    'smtp.ex',
  ])
    assert.deepEqual(found(q), ['CRM mail'], q)
  assert.deepEqual(found('crm'), ['CRM mail', 'CRM core'])
  assert.deepEqual(found('something else'), [])
})

test('without a text every resource is there', () => {
  assert.deepEqual(found(''), ['CRM mail', 'CRM core'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { propertyTitle } from './property-labels.ts'

test('a property has the title of its schema, a reference the words of its name', () => {
  assert.equal(propertyTitle({ kind: 'DATA', schema: { type: 'string', title: 'Plan' } }, 'plan'), 'Plan')
  assert.equal(propertyTitle({ kind: 'DATA', schema: { type: 'string' } }, 'seatPlan'), 'seatPlan')
  assert.equal(propertyTitle(undefined, 'mailGateway'), 'mailGateway')
  const words: Record<string, string> = {
    archive: 'Archive',
    mailGateway: 'Mail gateway',
    'mail-gateway_2': 'Mail gateway 2',
    ordersAPI: 'Orders API',
    归档: '归档',
    __: '__',
  }
  for (const [name, title] of Object.entries(words))
    assert.equal(propertyTitle({ kind: 'SERVICE_REFERENCE' }, name), title)
})

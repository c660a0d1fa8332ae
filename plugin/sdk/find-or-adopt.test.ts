import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deterministicName, findOrAdopt } from './find-or-adopt.ts'

test('a name follows from its identity alone', () => {
  const name = deterministicName('bucket', 'install-1', 'a')
  assert.match(name, /^bucket-[0-9a-f]{32}$/)
  assert.equal(deterministicName('bucket', 'install-1', 'a'), name)
  assert.notEqual(deterministicName('bucket', 'install-1a'), name)
})

test('what a crashed or unheard call has made is adopted', async () => {
  const made = new Set<string>()
  const find = () => (made.has('x') ? 'x' : null)
  const createUnheard = () => {
    made.add('x')
    throw new Error('the connection was lost')
  }
  assert.equal(await findOrAdopt({ find, create: createUnheard }), 'x')
  assert.equal(await findOrAdopt({ find, create: () => assert.fail('made twice') }), 'x')
})

test('a creation that really failed is told', async () => {
  const create = () => Promise.reject(new Error('no room'))
  await assert.rejects(findOrAdopt({ find: () => null, create }), /no room/)
})

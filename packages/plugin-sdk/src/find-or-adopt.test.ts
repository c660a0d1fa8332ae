import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deterministicName, findOrAdopt } from './find-or-adopt.ts'

test('a name depends only on the identity', () => {
  const name = deterministicName('bucket', 'install-1', 'a')
  assert.match(name, /^bucket-[0-9a-f]{32}$/)
  assert.equal(deterministicName('bucket', 'install-1', 'a'), name)
  assert.notEqual(deterministicName('bucket', 'install-1a'), name)
})

test('an effect of a crashed or interrupted call is adopted', async () => {
  const made = new Set<string>()
  const find = () => (made.has('x') ? 'x' : null)
  const createUnheard = () => {
    made.add('x')
    throw new Error('the connection was lost')
  }
  assert.equal(await findOrAdopt({ find, create: createUnheard }), 'x')
  assert.equal(await findOrAdopt({ find, create: () => assert.fail('created twice') }), 'x')
  const names = new Map<string, string>()
  assert.equal(await findOrAdopt({ find: () => names.get('x'), create: () => 'made' }), 'made')
})

test('the error of a failed creation is thrown', async () => {
  const create = () => Promise.reject(new Error('no room'))
  await assert.rejects(findOrAdopt({ find: () => null, create }), /no room/)
})

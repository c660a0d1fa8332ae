import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from '../../testing/serve.ts'
import { readState } from './state.ts'

test('a list is filtered only if the address does not name the installation', async (t) => {
  const asked: (string | undefined)[] = []
  const url = await serve(t, (request, response) => {
    asked.push(request.url)
    response.end('[{"of":"install-1"},{"of":"another"},{"name":"without an id"}]')
  })
  assert.deepEqual(await readState(`${url}all`, 'install-1'), [{ of: 'install-1' }])
  assert.deepEqual(await readState(`${url}of/{bundleInstallId}`, 'install-1'), [
    { name: 'without an id' },
    { of: 'another' },
    { of: 'install-1' },
  ])
  assert.deepEqual(asked, ['/all', '/of/install-1'])
})

test('the order of keys and of lists of objects does not matter; that of other lists does', async (t) => {
  const texts = [
    '[{"id":1,"tags":["b","a"]},{"id":2}]',
    '[{"id":2},{"tags":["b","a"],"id":1}]',
    '[{"id":2},{"tags":["a","b"],"id":1}]',
  ]
  const url = await serve(t, (_, response) => response.end(texts.shift()))
  const [first, second, third] = [
    await readState(`${url}{bundleInstallId}`, 'install-1'),
    await readState(`${url}{bundleInstallId}`, 'install-1'),
    await readState(`${url}{bundleInstallId}`, 'install-1'),
  ]
  assert.deepEqual(second, first)
  assert.notDeepEqual(third, first)
})

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
    { of: 'install-1' },
    { of: 'another' },
    { name: 'without an id' },
  ])
  assert.deepEqual(asked, ['/all', '/of/install-1'])
})

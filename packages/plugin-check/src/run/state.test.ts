import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { serve } from '../../testing/serve.ts'
import { countState, fetchThroughRestarts, readState } from './state.ts'

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

test('of an object by installation, only that of the installation counts', async (t) => {
  const id = (last: number): string => `01a2297b-77b9-7d2b-ad89-3aea4dcca8a${last}`
  const relays = { [id(1)]: { sender: { port: 25 } }, [id(2)]: { archive: {}, sender: {} } }
  const url = await serve(t, (request, response) =>
    response.end(JSON.stringify(request.url === '/deep' ? { relays, total: 2 } : relays)),
  )
  assert.deepEqual(await readState(url, id(1)), { sender: { port: 25 } })
  assert.equal(countState(await readState(url, id(2))), 2)
  assert.equal(countState(await readState(url, id(3))), 0)
  assert.deepEqual(await readState(`${url}deep`, id(3)), { relays: {}, total: 2 })
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

test('a large state is read from a server that closes each connection', async (t) => {
  const items = Array.from({ length: 1_800 }, (_, index) => ({
    of: `install-${index}`,
    note: 'x'.repeat(20),
  }))
  const url = await serve(t, (_, response) =>
    response.socket?.end(`HTTP/1.0 200 OK\r\n\r\n${JSON.stringify(items)}`),
  )
  assert.deepEqual(await readState(url, 'install-1799'), [items.at(-1)])
  assert.equal((await fetchThroughRestarts(url, 'POST'))?.status, 200)
  // what an unread body leads to comes later
  await wait(100)
  for (const address of ['not an address', 'ftp://127.0.0.1/'])
    await assert.rejects(readState(address, 'install-1'), /^UsageError: The state address/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { serve } from '../../testing/serve.ts'
import { countState, fetchThroughRestarts, readState } from './state.ts'

const id = (last: number): string => `01a2297b-77b9-7d2b-ad89-${String(last).padStart(12, '0')}`

test('a list is filtered only if the address does not name the installation', async (t) => {
  const asked: (string | undefined)[] = []
  const url = await serve(t, (request, response) => {
    asked.push(request.url)
    response.end(JSON.stringify([{ of: id(1) }, { of: id(2) }, { name: 'without an id' }]))
  })
  assert.deepEqual(await readState(`${url}all`, id(1)), [{ of: id(1) }])
  assert.deepEqual(await readState(`${url}of/{bundleInstallId}`, id(1)), [
    { name: 'without an id' },
    { of: id(1) },
    { of: id(2) },
  ])
  assert.deepEqual(asked, ['/all', `/of/${id(1)}`])
})

test('of an object by installation, only that of the installation counts', async (t) => {
  const relays = { [id(1)]: { sender: { port: 25 } }, [id(2)]: { archive: {}, sender: {} } }
  const url = await serve(t, (request, response) =>
    response.end(JSON.stringify(request.url === '/deep' ? { relays, total: 2 } : relays)),
  )
  assert.deepEqual(await readState(url, id(1)), { sender: { port: 25 } })
  assert.equal(countState(await readState(url, id(2))), 2)
  assert.equal(countState(await readState(url, id(3))), 0)
  assert.deepEqual(await readState(`${url}deep`, id(3)), { relays: {}, total: 2 })
})

test("of an object by the plugin's own ids, what contains the installation counts", async (t) => {
  const tenants = { [id(7)]: { bundleInstallId: id(1), port: 25 }, [id(8)]: { bundleInstallId: id(2) } }
  const url = await serve(t, (_, response) => response.end(JSON.stringify({ tenants })))
  assert.deepEqual(await readState(url, id(1)), { tenants: { [id(7)]: tenants[id(7)] } })
  assert.deepEqual(await readState(url, id(3)), { tenants: {} })
})

test('of an object by any names, the objects that name the installation count', async (t) => {
  const licenses = { 'lic-1': { install: id(1), seats: 5 }, 'lic-2': { install: id(2), seats: 5 } }
  const url = await serve(t, (request, response) =>
    response.end(JSON.stringify(request.url === '/deep' ? { licenses, total: { seats: 10 } } : licenses)),
  )
  assert.deepEqual(await readState(url, id(1)), { 'lic-1': licenses['lic-1'] })
  assert.deepEqual(await readState(url, id(3)), {})
  assert.deepEqual(await readState(`${url}deep`, id(2)), {
    licenses: { 'lic-2': licenses['lic-2'] },
    total: { seats: 10 },
  })
})

test('a list that names no installation is not filtered', async (t) => {
  const relays = [{ of: id(1) }, { of: id(2) }]
  const url = await serve(t, (_, response) =>
    response.end(JSON.stringify({ mail: { relays, ports: [25] }, zones: ['eu'] })),
  )
  assert.deepEqual(await readState(url, id(1)), {
    mail: { relays: [{ of: id(1) }], ports: [25] },
    zones: ['eu'],
  })
  assert.deepEqual(await readState(url, id(3)), { mail: { relays: [], ports: [25] }, zones: ['eu'] })
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
    of: id(index),
    note: 'x'.repeat(20),
  }))
  const url = await serve(t, (_, response) =>
    response.socket?.end(`HTTP/1.0 200 OK\r\n\r\n${JSON.stringify(items)}`),
  )
  assert.deepEqual(await readState(url, id(1799)), [items.at(-1)])
  assert.equal((await fetchThroughRestarts(url, 'POST'))?.status, 200)
  // what an unread body leads to comes later
  await wait(100)
  for (const address of ['not an address', 'ftp://127.0.0.1/'])
    await assert.rejects(readState(address, 'install-1'), /^UsageError: The state address/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serve } from '../../testing/serve.ts'
import { createSender } from './send.ts'

test('a cut request arrives before it is cut, however busy the machine is', async (t) => {
  let received = ''
  const url = await serve(t, (incoming) => {
    incoming.on('data', (chunk) => (received += String(chunk)))
    incoming.on('error', () => {
      // it is cut
    })
  })
  const sender = createSender(url, 5_000)
  t.after(() => sender.close())
  const sent = sender.send(Buffer.from('{"a":1}'), null, {
    cutRequestAt: 7,
    isChunked: true,
    isNewConnection: true,
  })
  const busyUntil = performance.now() + 60
  while (performance.now() < busyUntil);
  assert.equal((await sent).response, null)
  assert.equal(received, '{"a":1}')
})

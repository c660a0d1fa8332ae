import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Hono } from 'hono'
import { sendRequest } from '../testing/send-request.ts'
import { lifecycleRequest } from '../testing/lifecycle-request.ts'
import { definePlugin } from './define-plugin.ts'
import { toHonoHandler } from './hono.ts'
import { memoryStore } from './memory-store.ts'

test('a plugin answers below a route of Hono', async () => {
  const plugin = definePlugin({
    pluginId: 'tenant-provisioner',
    verify: false,
    store: memoryStore(),
    handle: {},
  })
  const app = new Hono().post('/lifecycle', toHonoHandler(plugin))
  const answer = await sendRequest(
    async (request) => app.fetch(new Request('http://host/lifecycle', request)),
    lifecycleRequest(),
  )
  assert.equal(answer.response?.outcome, 'NOT_APPLIED')
})

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sendRequest } from '../testing/send-request.ts'
import { lifecycleRequest } from '../testing/lifecycle-request.ts'
import { startProcess } from '../testing/start-process.ts'

test('a plugin killed between effect and commit adopts the effect, without waiting for the lease', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'plugin-'))
  const file = new URL('../testing/crashing-plugin.ts', import.meta.url)
  await assert.rejects(sendRequest(await startProcess(t, file, [folder, 'crash']), lifecycleRequest()))
  const url = await startProcess(t, file, [folder])
  assert.equal((await sendRequest(url, lifecycleRequest())).response?.outcome, 'APPLIED')
  assert.equal(readdirSync(folder).filter((name) => name.startsWith('effect-')).length, 1)
})

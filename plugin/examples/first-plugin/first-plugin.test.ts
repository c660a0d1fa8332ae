import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ask } from '#plugin-sdk/testing/ask.ts'
import { lifecycleRequest, LOCATOR, type RequestOptions } from '#plugin-sdk/testing/lifecycle-request.ts'
import { startProcess } from '#plugin-sdk/testing/start-process.ts'

const FILE = new URL('main.ts', import.meta.url)
const GUIDE = new URL('../../../docs/writing-a-plugin.md', import.meta.url)

test('the guide shows this file as the first plugin', () => {
  const source = readFileSync(FILE, 'utf8').replace('#plugin-sdk/src/index.ts', '@bundle-console/plugin-sdk')
  assert.ok(readFileSync(GUIDE, 'utf8').includes(source.trim()))
})

test('the call in the guide gets the response in the guide', async (t) => {
  const shown = /--data-binary '(?<body>\{.*?\})'\n```\n.*?```json\n(?<answer>.*?)\n```/s.exec(
    readFileSync(GUIDE, 'utf8'),
  )
  const url = await startFirst(t)
  const response = await ask(url, shown?.groups?.['body'] ?? '')
  assert.deepEqual(JSON.parse(response.body), JSON.parse(shown?.groups?.['answer'] ?? ''))
})

test('the first plugin installs, verifies and detaches', async (t) => {
  const url = await startFirst(t)
  const send = (more: RequestOptions) => ask(url, lifecycleRequest({ pluginId: 'mailbox-maker', ...more }))
  const installed = await send({})
  assert.deepEqual(installed.response?.resources[LOCATOR], {
    mailbox: { '@type': 'Data', value: 'northwind@example.com' },
  })
  assert.equal((await send({})).body, installed.body)
  assert.equal((await send({ stage: 'AFTER_RESOURCES' })).response?.outcome, 'VERIFIED')
  const detach: RequestOptions = { operationId: 'operation-2', operationType: 'DETACH', executionSequence: 2 }
  assert.equal((await send(detach)).response?.outcome, 'APPLIED')
  assert.equal((await send({ ...detach, stage: 'AFTER_RESOURCES' })).response?.outcome, 'NOT_APPLIED')
})

async function startFirst(t: Parameters<typeof startProcess>[0]): Promise<string> {
  const data = join(mkdtempSync(join(tmpdir(), 'first-')), 'first.sqlite')
  const line = await startProcess(t, FILE, [], { PORT: '0', DATA_FILE: data })
  return line.split(' ').at(-1) ?? ''
}

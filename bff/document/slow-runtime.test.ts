import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { testDatabase } from '#database/testing.ts'
import { bffMigrations } from '../store/tables.ts'
import { startConsole } from '../testing-console.ts'
import { TestBrowser } from '../testing-browser.ts'
import { dataOf, makeShellFolder, NAVIGATION } from './testing-shell.ts'

// The document of a console whose runtime does not respond.

/** Far below the timeout of an API read, far above what a document takes on a busy machine. */
const SOON_MS = 5_000

async function signedIn(t: TestContext, runtimeUrl?: string): Promise<TestBrowser> {
  const folder = makeShellFolder()
  const { connection, close } = await testDatabase({ migrations: [bffMigrations] })
  const console = await startConsole({ connection, folder, ...(runtimeUrl !== undefined && { runtimeUrl }) })
  t.after(async () => {
    await console.stop()
    await close()
    rmSync(folder, { recursive: true })
  })
  const ada = new TestBrowser(console.origin)
  await ada.signIn('ada', 'correct horse')
  return ada
}

async function openServices(browser: TestBrowser) {
  const started = performance.now()
  const response = await browser.request('/services', { headers: NAVIGATION })
  const html = await response.text()
  assert.ok(performance.now() - started < SOON_MS)
  assert.equal(response.status, 200)
  assert.match(html, /<\/html>$/)
  return dataOf(html)
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/bundle-runtime/api`
}

test('a runtime that does not respond does not delay the document, which contains only the session', async (t) => {
  const aborted = Promise.withResolvers<void>()
  const server = createServer((_, response) => response.on('close', aborted.resolve))
  const ada = await signedIn(t, await listen(server))
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  const data = await openServices(ada)
  assert.deepEqual(
    data?.answers.map(({ name }) => name),
    ['GET /session'],
  )
  // the read is aborted when the document stops waiting
  await aborted.promise
})

test('a document of a console without a reachable runtime contains only the session', async (t) => {
  const data = await openServices(await signedIn(t))
  assert.deepEqual(
    data?.answers.map(({ name }) => name),
    ['GET /session'],
  )
})

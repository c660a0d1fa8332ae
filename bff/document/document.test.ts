import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { platform } from '../../demo/people.ts'
import { startForTests } from '../../start-for-tests.ts'
import type { TestSystem } from '../../start-for-tests.ts'
import { TestBrowser } from '../testing-browser.ts'
import { dataOf, INLINE_SCRIPT, makeShellFolder, NAVIGATION } from './testing-shell.ts'

// Documents of a complete console on a real runtime.

const PASSWORD = 'a password of the test'
const HOSTILE = '</script><script>alert(1)</script><!--<script>'
const STAGING = { environmentKey: 'staging' }

const folder = makeShellFolder()
let running: TestSystem
const browsers = new Map<string, TestBrowser>()

before(async () => {
  const users = [
    { username: 'admin', password: PASSWORD, roles: [{ role: 'admin' as const, scope: null }] },
    { username: 'viewer', password: PASSWORD, roles: [{ role: 'viewer' as const, scope: STAGING }] },
  ]
  running = await startForTests({
    auth: { users },
    folder,
    // a busy machine may take longer than a person should wait
    documentWaitMs: 20_000,
  })
  assert.ok(running.call !== null)
  const service = {
    title: HOSTILE,
    url: 'http://127.0.0.1:9/hostile',
    methods: ['call'],
    owner: null,
    consumers: [],
    enabled: true,
  }
  await running.call(
    platform,
    'PUT /services/{serviceId}',
    { params: { serviceId: 'hostile' }, body: service },
    'hostile-service',
  )
  for (const { username } of users) {
    const browser = new TestBrowser(running.url)
    await browser.signIn(username, PASSWORD)
    browsers.set(username, browser)
  }
})
after(async () => {
  await running.stop()
  rmSync(folder, { recursive: true })
})

function browserOf(username: string): TestBrowser {
  const browser = browsers.get(username)
  assert.ok(browser !== undefined)
  return browser
}

async function open(browser: TestBrowser, path: string, headers: Record<string, string> = {}) {
  const response = await browser.request(path, { headers: { ...NAVIGATION, ...headers } })
  assert.equal(response.status, 200)
  const html = await response.text()
  return { response, html, data: dataOf(html) }
}

/** What the frame of every page reads. */
const FRAME = ['GET /inbox/unread', 'GET /recovery', 'GET /troubles']
/** A person who may approve changes also reads how many wait. */
const APPROVER_FRAME = [...FRAME, 'GET /change-requests/waiting']

const namesIn = (data: ReturnType<typeof dataOf>) => data?.answers.map(({ name }) => name)

test('a document contains the session and the responses that the API gives the same person', async () => {
  const { html, data } = await open(browserOf('admin'), '/services?q=host')
  assert.deepEqual(namesIn(data), ['GET /session', 'GET /services', ...APPROVER_FRAME])
  const session = await browserOf('admin').api('/api/session')
  assert.deepEqual(data?.answers[0]?.answer, await session.json())
  const services = await browserOf('admin').api('/api/services?q=host&limit=50')
  assert.deepEqual(data?.answers[1]?.answer, await services.json())
  assert.deepEqual(data?.answers[1]?.call, { query: { q: 'host', limit: 50 } })
  assert.match(html, /<link rel="modulepreload" crossorigin href="\/assets\/services-en\.js">/)
})

test('values from the API and the address cannot escape the data block (C06)', async () => {
  const { html, data } = await open(browserOf('admin'), `/services?q=${encodeURIComponent(HOSTILE)}`)
  assert.deepEqual(data?.answers[1]?.call, { query: { q: HOSTILE, limit: 50 } })
  const listed = await open(browserOf('admin'), '/services')
  assert.match(JSON.stringify(listed.data?.answers[1]?.answer), /alert\(1\)/)
  for (const document of [html, listed.html]) {
    assert.equal(document.includes('alert(1)</script>'), false)
    assert.equal(document.match(/<script/g)?.length, 3)
    assert.equal(document.includes('<!--'), false)
  }
})

test('a document must not be cached, and its policy allows only its own inline scripts (C01, C04)', async () => {
  for (const username of ['admin', null]) {
    const browser = username === null ? new TestBrowser(running.url) : browserOf(username)
    const { response } = await open(browser, '/services')
    assert.equal(response.headers.get('cache-control'), 'private, no-store')
    assert.match(response.headers.get('vary') ?? '', /\bCookie\b/)
    const policy = response.headers.get('content-security-policy') ?? ''
    const theme = createHash('sha256').update(INLINE_SCRIPT).digest('base64')
    assert.ok(policy.includes(`script-src 'self' 'sha256-${theme}';`), policy)
    assert.doesNotMatch(policy, /unsafe|nonce|\*/)
  }
})

test('a document says which headers it depends on (D12)', async () => {
  const { response } = await open(browserOf('admin'), '/operations')
  const vary = response.headers.get('vary') ?? ''
  for (const name of [
    'Accept',
    'Accept-Language',
    'Cookie',
    'Sec-Fetch-Dest',
    'Sec-Fetch-Mode',
    'Sec-Fetch-Site',
  ])
    assert.ok(vary.split(', ').includes(name), name)
  assert.match(response.headers.get('cache-control') ?? '', /no-store/)
})

test('without a session the document is the plain shell', async () => {
  const stranger = new TestBrowser(running.url)
  const plain = await open(stranger, '/services')
  assert.equal(plain.data, null)
  assert.match(plain.html, /<body><div id="root"><\/div><\/body><\/html>$/)
  const [name] = browserOf('admin').session?.split('=') ?? []
  const invalid = await open(stranger, '/services', { cookie: `${name}=${'x'.repeat(43)}` })
  assert.equal(invalid.html, plain.html)
})

test('a document contains only what its person may read (G02)', async () => {
  const admin = await open(browserOf('admin'), '/audit')
  assert.deepEqual(namesIn(admin.data), ['GET /session', 'GET /audit', ...APPROVER_FRAME])
  const viewer = await open(browserOf('viewer'), '/audit')
  assert.deepEqual(namesIn(viewer.data), ['GET /session', ...FRAME])
  const hidden = await open(browserOf('viewer'), '/scopes/production/eu-central/1/configuration')
  assert.doesNotMatch(JSON.stringify(namesIn(hidden.data)), /configuration/)
})

test('a navigation from another site gets no data, nor does a frame (C05)', async () => {
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-dest': 'iframe' },
    { 'sec-fetch-dest': 'embed' },
  ] as Record<string, string>[]) {
    const { data } = await open(browserOf('admin'), '/services', headers)
    assert.equal(data, null, JSON.stringify(headers))
  }
})

test('an unknown page has no data, and files and the API are not documents (D03)', async () => {
  const unknown = await open(browserOf('admin'), '/no-such-page')
  assert.equal(unknown.data, null)
  for (const path of ['/assets/missing.js', '/API/services', '/missing.json', '/.vite/page-scripts.json']) {
    const response = await browserOf('admin').request(path, { headers: NAVIGATION })
    assert.equal(response.status, 404, path)
  }
  const fetched = await browserOf('admin').request('/services', {
    headers: { ...NAVIGATION, 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
  })
  assert.equal(fetched.status, 404)
})

test('compression does not change a document, and its language determines the preloaded texts', async () => {
  const browser = browserOf('admin')
  const plain = await open(browser, '/services')
  const response = await browser.request('/services', {
    headers: { ...NAVIGATION, 'accept-encoding': 'gzip, br' },
  })
  assert.equal(response.headers.get('content-encoding'), 'br')
  assert.equal(brotliDecompressSync(Buffer.from(await response.arrayBuffer())).toString(), plain.html)
  const chinese = await open(browser, '/services', { 'accept-language': 'zh-CN,zh;q=0.9' })
  assert.match(chinese.html, /services-zh\.js/)
  const chosen = await open(browser, '/services', {
    'accept-language': 'zh-CN',
    cookie: `${browser.session}; console_language=en`,
  })
  assert.match(chosen.html, /services-en\.js/)
})

test('a monitor that names no type, or any, gets the page as a browser does', async () => {
  const browser = browserOf('admin')
  for (const headers of [{}, { accept: '*/*' }])
    for (const method of ['GET', 'HEAD']) {
      const response = await browser.request('/operations', { method, headers })
      assert.equal(response.status, 200, `${method} ${JSON.stringify(headers)}`)
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
      await response.body?.cancel()
    }
  assert.equal((await browser.request('/assets/none.js', { method: 'HEAD' })).status, 404)
})

test('HEAD returns only the headers of the document', async () => {
  const response = await browserOf('admin').request('/services', { method: 'HEAD', headers: NAVIGATION })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('cache-control'), 'private, no-store')
  assert.equal(await response.text(), '')
})

test('a document has the newest event position of the runtime, never one made up by a browser', async () => {
  const browser = browserOf('admin')
  assert.equal((await open(browser, '/services')).data?.position, null)
  const position = await firstEventId(browser)
  assert.equal((await open(browser, '/services')).data?.position, position)
  const madeUp = '99999999-99999999'
  await firstEventId(browser, { 'last-event-id': madeUp })
  assert.notEqual((await open(browser, '/services')).data?.position, madeUp)
})

async function firstEventId(browser: TestBrowser, headers: Record<string, string> = {}): Promise<string> {
  const abort = new AbortController()
  const response = await fetch(`${running.url}/api/events`, {
    headers: { cookie: browser.session ?? '', 'x-requested-by': 'console', ...headers },
    signal: abort.signal,
  })
  assert.ok(response.body !== null)
  let text = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const id = /^id: (.+)$/m.exec(text)?.[1]
    if (id !== undefined) {
      abort.abort()
      return id
    }
  }
  throw new Error(`The stream ended without an id: ${text}`)
}

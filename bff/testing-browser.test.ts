import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { sessionCookie, TestBrowser } from './testing-browser.ts'

const server = createServer((request, response) => {
  const expires = 'Expires=Thu, 01 Jan 1970 00:00:00 GMT'
  const isLater = request.url === '/later'
  response.setHeader('set-cookie', [
    'console_41970_session=1970; Path=/; Max-Age=0900',
    `by-age=1; Path=/${isLater ? '; Max-Age=0' : ''}`,
    `by-time=1; Path=/${isLater ? `; ${expires}` : ''}`,
  ])
  response.end()
})
before(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)))
after(() => server.close())

test('a cookie is removed by its attributes, whatever its name and value contain', async () => {
  const browser = new TestBrowser(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const names = () => [...browser.cookies.values()].map(({ name }) => name)
  await browser.request('/')
  assert.deepEqual(names(), ['console_41970_session', 'by-age', 'by-time'])
  await browser.request('/later')
  assert.deepEqual(names(), ['console_41970_session'])
  assert.equal(browser.session, 'console_41970_session=1970')
})

test('redirects that never end are an error', async (t) => {
  const loop = createServer((request, response) => {
    const isForm = request.method === 'GET' && request.url?.startsWith('/auth/login') === true
    if (!isForm) response.writeHead(302, { location: '/again' })
    response.end()
  })
  await new Promise<void>((resolve) => void loop.listen(0, '127.0.0.1', resolve))
  t.after(() => loop.close())
  const origin = `http://127.0.0.1:${(loop.address() as AddressInfo).port}`
  const isEndless = /^Error: There are more than 12 redirects: \/again → http/
  await assert.rejects(new TestBrowser(origin).follow('/again'), isEndless)
  await assert.rejects(sessionCookie(origin, { username: 'sam', password: 'secret' }), isEndless)
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clientAddress, provenance, publicHost, rateLimitAddress } from './provenance.ts'
import { appWith, ORIGIN } from './testing.ts'

describe('provenance', () => {
  const app = appWith(provenance({ publicOrigin: ORIGIN }))
  const status = async (
    method: string,
    path: string,
    headers: Record<string, string | undefined> = {},
  ): Promise<number> => {
    const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const type = headers['content-type']
    const body =
      type === undefined || method === 'GET' ? {} : { body: '{}', headers: { 'content-length': '2' } }
    const all = { ...body.headers, ...Object.fromEntries(given) }
    return (await app.request(path, { method, ...body, headers: all })).status
  }

  it('accepts only our own combination of headers (B02)', async () => {
    const sites = ['same-origin', 'same-site', 'cross-site', 'none', undefined]
    const origins = [ORIGIN, 'https://sibling.example.org', 'https://evil.example', 'null', undefined]
    const types = [
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      undefined,
    ]
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const site of sites) {
        for (const origin of origins) {
          for (const type of types) {
            for (const marker of ['console', 'other', undefined]) {
              const headers = {
                'sec-fetch-site': site,
                origin,
                'content-type': type,
                'x-requested-by': marker,
              }
              const isOurs =
                (site === 'same-origin' || (site === undefined && origin === ORIGIN)) && marker === 'console'
              const isJson = type === 'application/json' || type === undefined
              const expected = isOurs ? (isJson ? 200 : 415) : 403
              const seen = await status(method, '/api/x', headers)
              assert.equal(seen, expected, JSON.stringify({ method, ...headers }))
            }
          }
        }
      }
    }
  })

  it('does not trust Host (B02)', async () => {
    const headers = { host: 'evil.example', origin: 'https://evil.example', 'x-requested-by': 'console' }
    assert.equal(await status('POST', '/api/x', headers), 403)
  })

  it('requires the header on API reads too, and refuses documents and images (B03, C05)', async () => {
    const ours = { 'x-requested-by': 'console' }
    assert.equal(await status('GET', '/api/x', ours), 200)
    assert.equal(await status('GET', '/api/x'), 403)
    assert.equal(await status('GET', '/api'), 403)
    const { code, message, remedy } = (await (await app.request('/api/x')).json()) as Record<string, string>
    assert.equal(code, 'PERMISSION_DENIED')
    assert.match(message ?? '', /X-Requested-By: console/)
    // no role would help
    assert.match(remedy ?? '', /Add the header.* token of a service account/)
    assert.equal(await status('GET', '/api/x', { ...ours, 'sec-fetch-site': 'same-site' }), 403)
    for (const destination of ['document', 'image', 'script', 'iframe', 'style']) {
      assert.equal(
        await status('GET', '/api/x', { ...ours, 'sec-fetch-dest': destination }),
        403,
        destination,
      )
    }
    assert.equal(await status('GET', '/page'), 200)
    assert.equal(
      await status('GET', '/apiary', { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'cross-site' }),
      200,
    )
  })

  it('asks a program with a token for no header of the console, but for no cookie and no foreign page (B02, G05)', async () => {
    const authorization = 'Bearer x'
    const ours = { 'x-requested-by': 'console', 'sec-fetch-site': 'same-origin' }
    assert.equal(await status('GET', '/api/x', { authorization }), 200)
    assert.equal(await status('POST', '/api/x', { authorization }), 200)
    assert.equal(await status('GET', '/api/x', { ...ours, authorization, cookie: 'a=b' }), 400)
    assert.equal(await status('POST', '/api/x', { authorization, origin: 'https://evil.example' }), 403)
    assert.equal(await status('GET', '/api/x', { authorization, 'sec-fetch-site': 'cross-site' }), 403)
    // only the API takes a token
    assert.equal(await status('POST', '/auth/logout', { authorization }), 403)
  })

  it('applies to every unsafe route, not only the API’s (B01)', async () => {
    assert.equal(await status('POST', '/auth/logout', { origin: ORIGIN }), 403)
    assert.equal(await status('POST', '/auth/logout', { origin: ORIGIN, 'x-requested-by': 'console' }), 200)
  })

  it('accepts no other methods or overrides, and grants no CORS permission (B04, B05)', async () => {
    const ours = { 'x-requested-by': 'console', origin: ORIGIN }
    for (const method of ['OPTIONS', 'PURGE', 'PROPFIND'])
      assert.equal(await status(method, '/api/x', ours), 405, method)
    const preflight = await app.request('/api/x', {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    assert.ok(![...preflight.headers.keys()].some((name) => name.startsWith('access-control')))
    const overridden = await app.request('/api/x?_method=DELETE', {
      method: 'POST',
      headers: { ...ours, 'x-http-method-override': 'DELETE' },
    })
    assert.equal(await overridden.text(), 'POST')
  })
})

describe('public host', () => {
  const app = appWith(publicHost({ publicOrigin: 'http://localhost:8080' }))
  const send = (path: string, headers: Record<string, string>) =>
    app.request(`http://127.0.0.1:8080${path}`, { headers })

  it('redirects pages to the public name and refuses the rest', async () => {
    assert.equal((await send('/x', { host: 'LOCALHOST:8080' })).status, 200)
    assert.equal((await send('/healthz', { host: '10.0.0.7:8080' })).status, 200)
    const page = await send('/x%20y?q=1', { host: '127.0.0.1:8080', accept: 'text/html' })
    assert.deepEqual([page.status, page.headers.get('location')], [307, 'http://localhost:8080/x%20y?q=1'])
    assert.equal((await send('/api/x', { host: '127.0.0.1:8080', accept: 'text/html' })).status, 400)
    assert.equal((await send('/x', { host: 'rebound.evil.example' })).status, 400)
    assert.equal((await send('/x', {})).status, 400)
  })
})

describe('client address', () => {
  const address = (remoteAddress: string, forwarded: string | undefined, hops: number): string =>
    rateLimitAddress({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } } as never, hops)

  it('trusts exactly the configured number of proxies (D10)', () => {
    assert.equal(address('10.0.0.1', '1.1.1.1', 0), '10.0.0.1')
    assert.equal(address('10.0.0.1', '6.6.6.6, 1.1.1.1', 1), '1.1.1.1')
    assert.equal(address('10.0.0.1', '6.6.6.6, 1.1.1.1, 10.0.0.2', 2), '1.1.1.1')
    assert.equal(address('10.0.0.1', undefined, 1), '10.0.0.1')
    assert.equal(address('10.0.0.1', 'garbage', 1), '10.0.0.1')
    assert.equal(address('::ffff:10.0.0.1', undefined, 0), '10.0.0.1')
    assert.equal(address('2001:db8:1:2:3::4', undefined, 0), address('2001:db8:1:2:9::9', undefined, 0))
  })

  it('is exact for the audit (D10)', () => {
    const exact = (remoteAddress: string, forwarded?: string, hops = 0): string =>
      clientAddress({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } } as never, hops)
    assert.equal(exact('::ffff:10.0.0.1'), '10.0.0.1')
    assert.equal(exact('2001:db8:1:2:3::4'), '2001:db8:1:2:3::4')
    assert.equal(exact('10.0.0.1', '6.6.6.6, 2001:DB8::0:1', 1), '2001:db8::1')
    assert.equal(exact('::ffff:10.0.0.1', '<script>', 1), '10.0.0.1')
  })
})

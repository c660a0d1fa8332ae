import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ConsoleFailure, problemOf } from '../failure.ts'
import { clientAddress, exactClientAddress, provenance, publicHost } from './provenance.ts'
import { rateLimit } from './rate-limit.ts'
import { securityHeaders } from './security-headers.ts'

const ORIGIN = 'https://console.example.org'

function appWith(...middleware: Parameters<Hono['use']>[1][]): Hono {
  const app = new Hono()
  app.use(...middleware)
  app.all('*', (c) => c.text(c.req.method))
  app.onError((error, c) => {
    const failure = error instanceof ConsoleFailure ? error : new ConsoleFailure('INTERNAL_ERROR')
    const problem = problemOf(failure, 'r1')
    return c.json(problem, problem.status as ContentfulStatusCode)
  })
  return app
}

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

  it('accepts only our own combination of headers', async () => {
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

  it('does not trust Host', async () => {
    const headers = { host: 'evil.example', origin: 'https://evil.example', 'x-requested-by': 'console' }
    assert.equal(await status('POST', '/api/x', headers), 403)
  })

  it('requires the header on API reads too, and refuses documents and images', async () => {
    const ours = { 'x-requested-by': 'console' }
    assert.equal(await status('GET', '/api/x', ours), 200)
    assert.equal(await status('GET', '/api/x'), 403)
    assert.equal(await status('GET', '/api'), 403)
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
    assert.equal(await status('GET', '/api/x', { ...ours, authorization: 'Bearer x' }), 400)
  })

  it('applies to every unsafe route, not only the API’s', async () => {
    assert.equal(await status('POST', '/auth/logout', { origin: ORIGIN }), 403)
    assert.equal(await status('POST', '/auth/logout', { origin: ORIGIN, 'x-requested-by': 'console' }), 200)
  })

  it('accepts no other methods or overrides, and grants no CORS permission', async () => {
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

describe('security headers', () => {
  it('are on every answer, errors too, with the policy of its kind', async () => {
    const app = appWith(securityHeaders({ publicOrigin: ORIGIN }), provenance({ publicOrigin: ORIGIN }))
    const page = await app.request('/page')
    const csp = page.headers.get('content-security-policy') ?? ''
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "form-action 'self'",
      "require-trusted-types-for 'script'",
    ]) {
      assert.ok(csp.includes(part), part)
    }
    assert.doesNotMatch(csp, /unsafe|\*|http:/)
    assert.equal(page.headers.get('cache-control'), null)
    for (const path of ['/api/x', '/page']) {
      const refused = await app.request(path, { method: 'POST' })
      assert.equal(refused.status, 403)
      assert.equal(refused.headers.get('cache-control'), 'no-store')
      assert.equal(refused.headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains')
      for (const name of [
        'referrer-policy',
        'cross-origin-opener-policy',
        'permissions-policy',
        'x-frame-options',
      ]) {
        assert.ok(refused.headers.has(name), name)
      }
    }
    const data = await app.request('/api/x', { headers: { 'x-requested-by': 'console' } })
    assert.equal(
      data.headers.get('content-security-policy'),
      "default-src 'none'; frame-ancestors 'none'; sandbox",
    )
    assert.equal(data.headers.get('cache-control'), 'no-store')
  })

  it('include HSTS only over https', async () => {
    const app = appWith(securityHeaders({ publicOrigin: 'http://localhost:8080' }))
    assert.equal((await app.request('/')).headers.get('strict-transport-security'), null)
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

describe('rate limits', () => {
  it('answer 429 with the time to retry', async () => {
    const app = appWith(
      rateLimit({
        keyOf: (c) => c.req.header('who') ?? '',
        reads: { perSecond: 1, burst: 1 },
        writes: { perSecond: 1, burst: 2 },
      }),
    )
    const send = (who: string, method = 'GET') => app.request('/', { method, headers: { who } })
    assert.equal((await send('a')).status, 200)
    const refused = await send('a')
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'])
    assert.equal((await send('b')).status, 200)
    assert.equal((await send('a', 'POST')).status, 200)
  })
})

describe('client address', () => {
  const address = (remoteAddress: string, forwarded: string | undefined, hops: number): string =>
    clientAddress({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } } as never, hops)

  it('trusts exactly the configured number of proxies', () => {
    assert.equal(address('10.0.0.1', '1.1.1.1', 0), '10.0.0.1')
    assert.equal(address('10.0.0.1', '6.6.6.6, 1.1.1.1', 1), '1.1.1.1')
    assert.equal(address('10.0.0.1', '6.6.6.6, 1.1.1.1, 10.0.0.2', 2), '1.1.1.1')
    assert.equal(address('10.0.0.1', undefined, 1), '10.0.0.1')
    assert.equal(address('10.0.0.1', 'garbage', 1), '10.0.0.1')
    assert.equal(address('::ffff:10.0.0.1', undefined, 0), '10.0.0.1')
    assert.equal(address('2001:db8:1:2:3::4', undefined, 0), address('2001:db8:1:2:9::9', undefined, 0))
  })

  it('is exact for the audit', () => {
    const exact = (remoteAddress: string, forwarded?: string, hops = 0): string =>
      exactClientAddress(
        { headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } } as never,
        hops,
      )
    assert.equal(exact('::ffff:10.0.0.1'), '10.0.0.1')
    assert.equal(exact('2001:db8:1:2:3::4'), '2001:db8:1:2:3::4')
    assert.equal(exact('10.0.0.1', '6.6.6.6, 2001:DB8::0:1', 1), '2001:db8::1')
    assert.equal(exact('::ffff:10.0.0.1', '<script>', 1), '10.0.0.1')
  })
})

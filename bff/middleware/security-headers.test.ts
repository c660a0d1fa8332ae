import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { provenance } from './provenance.ts'
import { securityHeaders } from './security-headers.ts'
import { appWith, ORIGIN } from './testing.ts'

describe('security headers', () => {
  it('are on every response, errors too, with the policy of its kind (C01, C02, C03, C04)', async () => {
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

  it('include HSTS only over https (C02)', async () => {
    const app = appWith(securityHeaders({ publicOrigin: 'http://localhost:8080' }))
    assert.equal((await app.request('/')).headers.get('strict-transport-security'), null)
  })
})

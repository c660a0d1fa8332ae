import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { publicHost } from './provenance.ts'
import { appWith } from './testing.ts'

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

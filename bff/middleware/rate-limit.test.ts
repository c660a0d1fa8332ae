import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rateLimit } from './rate-limit.ts'
import { appWith } from './testing.ts'

describe('rate limits', () => {
  it('answer 429 with the time to retry (J01)', async () => {
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

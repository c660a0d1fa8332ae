import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Hono } from 'hono'
import { TransportError } from '#http-kit/problem-response.ts'
import { ConsoleFailure } from '../failure.ts'
import { rateLimit } from './rate-limit.ts'
import type { RateVariables } from './rate-limit.ts'
import { appWith } from './testing.ts'

/** An app whose requests say what they cost. */
function costly({ burst }: { burst: number }, load = { isBehind: () => false }) {
  const app = new Hono<{ Variables: RateVariables }>()
  app.use(rateLimit({ keyOf: () => 'a', reads: { perSecond: 0.01, burst }, load }))
  app.get('/', (c) => {
    for (const cost of c.req.queries('cost') ?? []) c.var.spend(Number(cost))
    return c.text('done')
  })
  app.onError((error, c) => {
    if (error instanceof TransportError) return c.text('', error.status, error.headers)
    return c.text('', error instanceof ConsoleFailure ? 429 : 500)
  })
  return app
}

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

  it('weigh a request by what it costs (J01)', async () => {
    const app = costly({ burst: 10 })
    assert.equal((await app.request('/?cost=7')).status, 200)
    assert.equal((await app.request('/?cost=7')).status, 429)
    assert.equal((await app.request('/')).status, 200)
  })

  it('count what a request costs once, however often it says so (J01)', async () => {
    const app = costly({ burst: 10 })
    assert.equal((await app.request('/?cost=4&cost=6&cost=3')).status, 200)
    assert.equal((await app.request('/?cost=5')).status, 429)
    assert.equal((await app.request('/?cost=3')).status, 200)
  })

  it('let a request pass that costs more than a burst, when nothing else was sent (J01)', async () => {
    const app = costly({ burst: 10 })
    assert.equal((await app.request('/?cost=11')).status, 200)
    assert.equal((await app.request('/')).status, 429)
  })

  it('refuse what is expensive, and nothing else, while the process is behind (J04)', async () => {
    const load = { isBehind: () => true }
    const app = costly({ burst: 10 }, load)
    const refused = await app.request('/?cost=3')
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
    assert.equal((await app.request('/')).status, 200)
    load.isBehind = () => false
    assert.equal((await app.request('/?cost=3')).status, 200)
  })
})

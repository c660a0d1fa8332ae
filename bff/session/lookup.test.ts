import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Hono } from 'hono'
import type { Context } from 'hono'
import type { Database } from '#database/pool.ts'
import { createLog } from '#http-kit/log.ts'
import { createRecorder } from '../audit/recorder.ts'
import type { BffTables } from '../store/tables.ts'
import { ConsoleFailure } from '../failure.ts'
import { opaqueValue } from '#http-kit/random.ts'
import { EVERYWHERE, openBffDatabase } from '../testing.ts'
import { cookieKit, createSessions } from './sessions.ts'
import type { Sessions } from './sessions.ts'
import { limitLookups } from '../middleware/rate-limit.ts'

const ORIGIN = { clientAddress: '127.0.0.1', requestId: 'r' }

let database: Database<BffTables>
let sessions: Sessions
let statements = 0

before(async () => {
  database = await openBffDatabase()
  const counted = database.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements += 1
      return result
    },
  })
  const cookies = cookieKit(new URL('http://localhost:8080'))
  const limits = { idleSeconds: 60, absoluteSeconds: 60 }
  const recorder = createRecorder({ db: counted, log: createLog({ name: 'test', level: 'silent' }) })
  sessions = createSessions({ db: counted, cookies, limits, recorder })
})
after(() => database.close())

const inRequest = async <Result>(
  cookie: string,
  ask: (c: Context) => Promise<Result>,
  headers: Record<string, string> = {},
): Promise<Result> => {
  let result: Promise<Result> | undefined
  const app = new Hono()
    .get('/', async (c) => {
      result = ask(c)
      await result
      return c.text('')
    })
    // the caller gets the error from the result; the default would print it
    .onError((_, c) => c.text('', 500))
  await app.request('/', { headers: { cookie, ...headers } })
  assert.ok(result)
  return result
}
const signIn = async (sub: string): Promise<string> => {
  const person = {
    iss: 'idp',
    sub,
    name: sub,
    roles: [EVERYWHERE('viewer')],
    authTime: null,
    providerSession: null,
  }
  const signedIn = { person, tokens: { idToken: null, refreshToken: null }, origin: ORIGIN, replaces: null }
  return (await inRequest('', (c) => sessions.begin(c, signedIn))).split(';', 1)[0] ?? ''
}
const find = (cookie: string) => inRequest(cookie, (c) => sessions.find(c, { isActivity: false }))

describe('sessions requested at the same moment', () => {
  it('are found by one statement, each for its own request', async () => {
    const cookies = await Promise.all(['ada', 'bob', 'cy'].map(signIn))
    const strange = `${cookies[0]?.slice(0, -43) ?? ''}${'x'.repeat(43)}`
    statements = 0
    const found = await Promise.all([...cookies, strange, ...cookies].map(find))
    assert.deepEqual(
      found.map((person) => person?.id),
      ['ada', 'bob', 'cy', undefined, 'ada', 'bob', 'cy'],
    )
    assert.equal(statements, 1)
  })

  it('are not found if they ended before the request', async () => {
    const [active, ended] = [await signIn('ada'), await signIn('bob')]
    const early = find(active)
    await inRequest(ended, (c) => sessions.end(c, ORIGIN))
    const late = find(ended)
    assert.equal((await early)?.id, 'ada')
    assert.equal(await late, null)
  })
})

describe('consoles on several ports of one host', () => {
  it('have cookies of different names, because all ports share cookies (A01)', () => {
    const nameAt = (origin: string) => cookieKit(new URL(origin)).session
    const origins = ['https://ops.example.org', 'https://ops.example.org:8443', 'http://ops.example.org:8443']
    assert.deepEqual(origins.map(nameAt), [
      '__Host-Http-console_session',
      '__Host-Http-console_8443_session',
      'console_8443_session',
    ])
  })
})

describe('made-up sessions', () => {
  it('are looked up within the limit of their address, known sessions always', async () => {
    const rate = { perSecond: 0.001, burst: 5 }
    const limited = limitLookups(sessions, { addressOf: (c) => c.req.header('from') ?? '', rate })
    const look = (cookie: string, from: string) =>
      inRequest(cookie, (c) => limited.find(c, { isActivity: false }), { from })
    const isLimited = (error: unknown): boolean =>
      error instanceof ConsoleFailure && error.code === 'RATE_LIMITED'
    const [early, late] = [await signIn('ada'), await signIn('bob')]
    assert.equal((await look(early, 'shared'))?.id, 'ada')

    const forged = Array.from({ length: 20 }, () => early.slice(0, -43) + opaqueValue())
    statements = 0
    for (const [index, cookie] of forged.entries()) {
      if (index < 5) assert.equal(await look(cookie, 'shared'), null)
      else await assert.rejects(look(cookie, 'shared'), isLimited)
    }
    assert.equal(statements, 5)
    // a session found before is not limited; a new one is found from another address, any number of times
    assert.equal((await look(early, 'shared'))?.id, 'ada')
    await assert.rejects(look(late, 'shared'), isLimited)
    for (let count = 0; count < 10; count++) assert.equal((await look(late, 'elsewhere'))?.id, 'bob')
    assert.equal((await look(late, 'shared'))?.id, 'bob')
    // signing out queries the database too
    const forgedOnce = forged[0] ?? ''
    await assert.rejects(
      inRequest(forgedOnce, (c) => limited.end(c, ORIGIN), { from: 'shared' }),
      isLimited,
    )
    await inRequest(early, (c) => limited.end(c, ORIGIN), { from: 'shared' })
    await assert.rejects(look(early, 'shared'), isLimited)
  })
})

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { EVERYWHERE, startAuthServer } from '../testing.ts'
import { TestBrowser } from '../testing-browser.ts'
import type { AuthServer } from '../testing.ts'
import { createSignInLimiter } from './limiter.ts'

describe('the sign-in limiter', () => {
  let server: AuthServer
  before(async () => {
    const roles = [EVERYWHERE('viewer')]
    server = await startAuthServer({
      users: [
        { username: 'ada', password: 'correct horse', roles },
        { username: 'eve', password: 'battery staple', roles },
      ],
    })
  })
  after(() => server.stop())

  it('stops guesses at one account, and nobody else (J05)', async () => {
    const browser = new TestBrowser(server.origin)
    const form = await browser.openForm()
    const statuses = []
    for (let guess = 0; guess < 11; guess++)
      statuses.push((await browser.submit(form, 'ada', `guess ${guess}`)).status)
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429])

    const refused = await browser.submit(form, 'ADA', 'correct horse')
    assert.equal(refused.status, 429)
    assert.equal(refused.headers.get('retry-after'), '90')
    assert.match(await refused.text(), /Too many attempts/)
    const eve = new TestBrowser(server.origin)
    assert.equal((await eve.signIn('eve', 'battery staple')).response.status, 200)
    assert.ok(!server.log().includes('guess 3'))
  })

  it('counts wrong passwords only', async () => {
    for (let count = 0; count < 12; count++) {
      assert.equal(
        (await new TestBrowser(server.origin).signIn('eve', 'battery staple')).response.status,
        200,
      )
    }
  })

  it('returns the tokens of a correct guess, and no others', async () => {
    const limiter = createSignInLimiter(server.database.db)
    const who = { username: 'zoe', address: '192.0.2.7' }
    const isAllowed = async (address = who.address) => (await limiter.guess({ ...who, address })).isAllowed
    for (let guess = 0; guess < 9; guess++) assert.ok(await isAllowed())
    const right = await limiter.guess(who)
    assert.ok(right.isAllowed)
    await right.wasRight()
    assert.ok(await isAllowed())
    assert.ok(!(await isAllowed()))
    assert.ok(await isAllowed('192.0.2.8'))
  })

  it('refills over time, and never has more rows than buckets (J05)', async () => {
    const { db } = server.database
    const limiter = createSignInLimiter(db)
    const who = { username: 'tim', address: '192.0.2.9' }
    for (let guess = 0; guess < 11; guess++) await limiter.guess(who)
    assert.deepEqual(await limiter.guess(who), { isAllowed: false, waitSeconds: 90 })
    await sql`update bff.sign_in_limit set updated_at = updated_at - interval '91 seconds'`.execute(db)
    assert.ok((await limiter.guess(who)).isAllowed)
    assert.ok(!(await limiter.guess(who)).isAllowed)
    const { rows } = await sql<{ max: number }>`select max(bucket) as max from bff.sign_in_limit`.execute(db)
    assert.ok((rows[0]?.max ?? 0) < 2 ** 16)
  })

  it('has rows at which nobody can aim: a made-up name empties none of another one (J05)', async () => {
    const limiter = createSignInLimiter(server.database.db)
    const address = '192.0.2.12'
    // what anyone who reads the sources can compute
    const rowOf = (...parts: string[]) =>
      createHash('sha256').update(JSON.stringify(parts)).digest().readUInt32BE() % 2 ** 16
    const aimed = rowOf('user', 'ivy')
    let username = ''
    for (let tried = 0; username === ''; tried++)
      if (rowOf('pair', `x${tried}`, address) === aimed) username = `x${tried}`
    for (let guess = 0; guess < 10; guess++) await limiter.guess({ username, address })
    // also in another process
    assert.ok(!(await createSignInLimiter(server.database.db).guess({ username, address })).isAllowed)
    assert.ok((await limiter.guess({ username: 'ivy', address: '192.0.2.13' })).isAllowed)
  })

  it('says how long the bucket that is empty needs', async () => {
    const limiter = createSignInLimiter(server.database.db)
    const guessAs = (username: string) => limiter.guess({ username, address: '192.0.2.11' })
    for (let guess = 0; guess < 100; guess++) await guessAs(`name-${guess}`)
    assert.deepEqual(await guessAs('another'), { isAllowed: false, waitSeconds: 9 })
  })

  it('allows no more guesses in parallel than in sequence', async () => {
    const limiter = createSignInLimiter(server.database.db)
    const who = { username: 'mob', address: '192.0.2.10' }
    const guesses = await Promise.all(Array.from({ length: 30 }, () => limiter.guess(who)))
    assert.equal(guesses.filter(({ isAllowed }) => isAllowed).length, 10)
  })
})

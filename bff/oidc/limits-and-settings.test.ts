import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import * as z from 'zod'
import { readSettings, SettingsError } from '#http-kit/settings.ts'
import { authEnvironment, authSettingsOf } from '../settings.ts'
import { EVERYWHERE, startAuthServer, TestBrowser } from '../testing.ts'
import type { AuthServer } from '../testing.ts'
import { createSignInLimiter } from './limiter.ts'
import { generatePassword, hashPassword, verifyPassword, issueFirstPasswords } from './passwords.ts'
import { applyConfiguredUsers } from './users.ts'

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

  it('stops guesses at one account, and nobody else', async () => {
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

  it('refills over time, and never has more rows than buckets', async () => {
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

describe('passwords', () => {
  it('are verified and never stored', async () => {
    const hash = await hashPassword('pässwörd')
    assert.match(hash, /^scrypt\$15\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
    assert.notEqual(hash, await hashPassword('pässwörd'))
    assert.ok(await verifyPassword('pa\u0308sswo\u0308rd', hash))
    assert.ok(!(await verifyPassword('passwort', hash)))
    assert.ok(!(await verifyPassword('', hash)))
    assert.ok(!(await verifyPassword('pässwörd', null)))
    assert.ok(!(await verifyPassword('x', 'garbage')))
  })

  it('are long and unique if generated', () => {
    const made = new Set(Array.from({ length: 100 }, generatePassword))
    assert.equal(made.size, 100)
    for (const password of made) assert.match(password, /^([a-z2-9]{5}-){3}[a-z2-9]{5}$/)
  })
})

describe('users of the embedded identity provider', () => {
  let server: AuthServer
  before(async () => {
    server = await startAuthServer()
  })
  after(() => server.stop())

  it('are created once, one for each role, and can sign in with the passwords shown', async () => {
    const { newUsers } = server
    assert.deepEqual(
      newUsers.map(({ username, roles }) => [username, roles]),
      ['admin', 'operator', 'support', 'viewer'].map((role) => [role, [role]]),
    )
    const admin = new TestBrowser(server.origin)
    await admin.signIn('admin', newUsers[0]?.password ?? '')
    assert.ok(admin.session)
    const { db } = server.database
    assert.deepEqual((await issueFirstPasswords(db)).users, [])
  })

  it('are exactly those of CONSOLE_USERS, and changed users are signed out', async () => {
    const { db } = server.database
    const issuer = `${server.origin}/idp`
    const roles = [EVERYWHERE('viewer')]
    const apply = (users: { username: string; password: string; roles: typeof roles }[]) =>
      applyConfiguredUsers(db, { configured: users, issuer })
    const ada = { username: 'Ada', password: 'first', roles }
    const eve = { username: 'eve', password: 'second', roles }
    await apply([ada, eve])
    const admin = new TestBrowser(server.origin)
    assert.equal((await admin.signIn('admin', server.newUsers[0]?.password ?? '')).response.status, 401)
    const browsers = { ada: new TestBrowser(server.origin), eve: new TestBrowser(server.origin) }
    await browsers.ada.signIn('ada', 'first')
    await browsers.eve.signIn('eve', 'second')
    const isIn = async (browser: TestBrowser) => (await browser.api('/api/session')).status === 200
    await apply([eve, ada])
    assert.deepEqual([await isIn(browsers.ada), await isIn(browsers.eve)], [true, true])
    await apply([{ ...ada, roles: [EVERYWHERE('admin')] }, eve])
    assert.deepEqual([await isIn(browsers.ada), await isIn(browsers.eve)], [false, true])
    await apply([ada])
    assert.equal(await isIn(browsers.eve), false)
  })
})

describe('the settings of sign-in', () => {
  const read = (env: Record<string, string>) => {
    const settings = readSettings(z.object(authEnvironment), env)
    return authSettingsOf(settings, 'http://localhost:8080')
  }
  const refusal = (env: Record<string, string>): string => {
    try {
      read(env)
    } catch (error) {
      assert.ok(error instanceof SettingsError)
      return error.message
    }
    return 'accepted'
  }

  it('have defaults', () => {
    assert.deepEqual(read({}), {
      publicOrigin: 'http://localhost:8080',
      externalIdp: null,
      rolesClaim: 'roles',
      users: null,
      limits: { idleSeconds: 900, absoluteSeconds: 28_800 },
      recentSignInSeconds: 300,
      trustedProxyHops: 0,
    })
  })

  it('accept users with role names and scoped roles', () => {
    const scope = { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 7 }
    const users = [
      { username: 'ada', password: 'pw', roles: ['admin', { role: 'viewer' }, { role: 'operator', scope }] },
    ]
    assert.deepEqual(read({ CONSOLE_USERS: JSON.stringify(users) }).users, [
      {
        username: 'ada',
        password: 'pw',
        roles: [EVERYWHERE('admin'), EVERYWHERE('viewer'), { role: 'operator', scope }],
      },
    ])
  })

  it('report in one line what is wrong with users, without passwords', () => {
    const user = { username: 'ada', password: 'hush-hush', roles: ['viewer'] }
    const wrong: [unknown, RegExp][] = [
      ['no list', /a JSON list of .* is needed$/],
      [[], /is needed$/],
      [[user, { ...user, roles: ['boss'] }], /entry 2 is wrong at roles\.0$/],
      [
        [{ ...user, roles: [{ role: 'viewer', scope: { environment: 'prod' } }] }],
        /entry 1 is wrong at roles\.0/,
      ],
      [[{ username: 'ada', password: 'hush-hush' }], /entry 1 is wrong at roles$/],
      [[{ ...user, username: 'a b' }], /entry 1 is wrong at username$/],
      [[user, { ...user, username: 'ADA' }], /the username "ada" is listed twice$/],
    ]
    for (const [users, message] of wrong) {
      const line = refusal({ CONSOLE_USERS: JSON.stringify(users) })
      assert.match(line, /^CONSOLE_USERS is wrong: [^\n]*$/)
      assert.match(line, message)
      assert.ok(!line.includes('hush'))
    }
    assert.match(
      refusal({ CONSOLE_USERS: '[{"password":"hush-hush"' }),
      /^CONSOLE_USERS is wrong: a JSON list/,
    )
    const unclear: [text: string, message: RegExp][] = [
      [
        '[{"username":"ada",\n"hush":"hush-hush","hush":""}]',
        /; The key is duplicated in one object \(line 2, column 20\)$/,
      ],
      ['[{"username":"ada","hush-hush"}]', /; A colon is expected after the key \(line 1, column 31\)$/],
      [
        '[{"username":"ada","password":"hush\\u0000","roles":[]}]',
        /; A string contains the character NUL \(/,
      ],
    ]
    for (const [users, message] of unclear) {
      const line = refusal({ CONSOLE_USERS: users })
      assert.match(line, message)
      assert.ok(!line.includes('hush'))
    }
  })

  it('require an issuer over https, with client and secret', () => {
    const whole = {
      OIDC_ISSUER: 'https://id.example.org/realm',
      OIDC_CLIENT_ID: 'console',
      OIDC_CLIENT_SECRET: 'long enough',
    }
    assert.deepEqual(read(whole).externalIdp, {
      issuer: 'https://id.example.org/realm',
      clientId: 'console',
      clientSecret: 'long enough',
    })
    assert.equal(refusal({ ...whole, OIDC_ISSUER: 'http://127.0.0.1:9000' }), 'accepted')
    assert.match(
      refusal({ ...whole, OIDC_ISSUER: 'http://id.example.org' }),
      /^OIDC_ISSUER is wrong: https is needed/,
    )
    assert.match(refusal({ ...whole, OIDC_ISSUER: 'id.example.org' }), /^OIDC_ISSUER is wrong/)
    assert.match(refusal({ ...whole, OIDC_CLIENT_ID: '' }), /^OIDC_CLIENT_ID is not set/)
    assert.match(refusal({ ...whole, OIDC_CLIENT_SECRET: '' }), /^OIDC_CLIENT_SECRET is not set/)
    assert.match(refusal({ SESSION_IDLE_SECONDS: '0' }), /^SESSION_IDLE_SECONDS is wrong/)
  })
})

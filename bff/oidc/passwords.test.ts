import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '#database/pool.ts'
import { findUser } from '../store/idp-users.ts'
import type { BffTables } from '../store/tables.ts'
import { CHEAP, openBffDatabase } from '../testing.ts'
import { generatePassword, hashPassword, issueFirstPasswords, verifyPassword } from './passwords.ts'
import type { FirstNames, FirstPasswords } from './passwords.ts'
import { applyConfiguredUsers } from './users.ts'

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

  it('are derived four at a time, because each takes a processor (J05)', async () => {
    let begun = 0
    const hook = createHook({
      init(_, type) {
        if (type.startsWith('SCRYPT')) begun += 1
      },
    }).enable()
    const deriving = Array.from({ length: 10 }, () => hashPassword('secret', CHEAP))
    assert.equal(begun, 4)
    await Promise.all(deriving)
    assert.equal(begun, 10)
    hook.disable()
  })

  it('are long and unique if generated', () => {
    const made = new Set(Array.from({ length: 100 }, generatePassword))
    assert.equal(made.size, 100)
    for (const password of made) assert.match(password, /^([a-z2-9]{5}-){3}[a-z2-9]{5}$/)
  })
})

describe('first passwords', () => {
  let database: Database<BffTables>
  before(async () => {
    database = await openBffDatabase()
  })
  after(() => database.close())
  beforeEach(() => sql`delete from bff.idp_user`.execute(database.db))

  const issue = (names?: FirstNames) => issueFirstPasswords(database.db, names, CHEAP)
  /** Whether all of them sign in. */
  const apply = async ({ users }: FirstPasswords) => {
    const signedIn = users.map(async ({ username, password }) => {
      const user = await findUser(database.db, { username })
      return verifyPassword(password, user?.passwordHash ?? null)
    })
    return users.length > 0 && (await Promise.all(signedIn)).every(Boolean)
  }

  it('are issued again until they have been shown', async () => {
    const unseen = await issue()
    assert.equal(unseen.users.length, 4)
    const seen = await issue()
    assert.deepEqual(
      seen.users.map(({ username, roles }) => [username, roles]),
      unseen.users.map(({ username, roles }) => [username, roles]),
    )
    assert.ok(await apply(seen))
    assert.ok(await seen.confirmShown())
    assert.deepEqual((await issue()).users, [])
    assert.ok(await apply(seen))
  })

  it('belong to users with the names that the start gives them', async () => {
    const { users } = await issue({ admin: 'Ada Lovelace' })
    assert.deepEqual(
      users.map(({ username, name }) => [username, name]),
      [
        ['admin', 'Ada Lovelace'],
        ['operator', 'operator'],
        ['support', 'support'],
        ['viewer', 'viewer'],
      ],
    )
    assert.equal((await findUser(database.db, { username: 'admin' }))?.name, 'Ada Lovelace')
  })

  it('replaced by another replica are reported as no longer valid', async () => {
    const replaced = await issue()
    const last = await issue()
    assert.equal(await replaced.confirmShown(), false)
    assert.ok(await last.confirmShown())
    assert.ok(await apply(last))
    assert.deepEqual((await issue()).users, [])
  })

  it('are issued by only one of the replicas that start together', async () => {
    const issued = await Promise.all([issue(), issue()])
    const confirmed = await Promise.all(issued.map((passwords) => passwords.confirmShown()))
    const valid = issued.filter(({ users }, index) => users.length > 0 && confirmed[index] === true)
    assert.equal(valid.length, 1)
    assert.ok(valid[0] !== undefined && (await apply(valid[0])))
  })

  it('are not issued for users of CONSOLE_USERS', async () => {
    await issue()
    const configured = [
      { username: 'admin', password: 'a known one', roles: [{ role: 'admin' as const, scope: null }] },
    ]
    await applyConfiguredUsers(database.db, { configured, issuer: 'http://console.test/idp' })
    assert.deepEqual((await issue()).users, [])
  })
})

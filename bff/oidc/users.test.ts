import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { EVERYWHERE, startAuthServer } from '../testing.ts'
import { TestBrowser } from '../testing-browser.ts'
import type { AuthServer } from '../testing.ts'
import { issueFirstPasswords } from './passwords.ts'
import { applyConfiguredUsers } from './users.ts'

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

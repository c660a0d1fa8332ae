import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { EVERYWHERE, startAuthServer, TestBrowser } from '../testing.ts'
import type { AuthServer } from '../testing.ts'

const USERS = [
  { username: 'Ada', password: 'correct horse', roles: [EVERYWHERE('admin')] },
  {
    username: 'eve',
    password: 'battery staple',
    roles: [{ role: 'viewer' as const, scope: { environmentKey: 'prod' } }],
  },
  { username: 'nobody', password: 'no role at all', roles: [] },
]

describe('sign-in with the embedded identity provider', () => {
  let server: AuthServer
  before(async () => {
    server = await startAuthServer({ users: USERS })
  })
  after(() => server.stop())
  const browser = (): TestBrowser => new TestBrowser(server.origin)

  it('leads back to where the person wanted to go, with a session', async () => {
    const ada = browser()
    assert.equal((await ada.api('/api/session')).status, 401)
    const { response, way } = await ada.signIn('ada', 'correct horse', '/operations?state=FAILED')
    assert.equal(response.status, 200)
    assert.equal(way.at(-1), `${server.origin}/operations?state=FAILED`)
    const session = await ada.api('/api/session')
    const { user, roles, permissions, grants } = (await session.json()) as Record<string, never>
    assert.match((user as { id: string }).id, /^[0-9a-f-]{36}$/)
    assert.equal((user as { name: string }).name, 'Ada')
    assert.deepEqual(roles, ['admin'])
    assert.equal((permissions as string[]).length, 12)
    assert.deepEqual(grants, [{ permissions, scope: null }])
  })
})

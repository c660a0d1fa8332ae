import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CONSOLE_ACTOR_ID, RUNTIME_ACTOR_ID } from '#contract/runtime-api/vocabulary.ts'
import { EVERYWHERE } from '../testing.ts'
import { readClaims } from './claims.ts'

describe('readClaims', () => {
  const claims = { iss: 'https://id', sub: 'u-1', name: 'Ada', roles: ['viewer'] }
  const options = { rolesClaim: 'roles', now: new Date('2026-11-22T08:00:00Z') }

  it('takes the first name in the claims, without control characters', () => {
    const nameOf = (more: Record<string, unknown>) => readClaims({ ...claims, ...more }, options)?.person.name
    assert.equal(nameOf({}), 'Ada')
    assert.equal(nameOf({ name: '', preferred_username: 'ada' }), 'ada')
    assert.equal(nameOf({ name: 7, email: 'ada@example.org' }), 'ada@example.org')
    assert.equal(nameOf({ name: undefined }), 'u-1')
    assert.equal(nameOf({ name: 'A\u202Eda\u0000\n' }), 'Ada')
    assert.equal(nameOf({ name: 'x'.repeat(1000) })?.length, 200)
  })

  it('accepts nobody without issuer and subject (F03)', () => {
    for (const wrong of [
      { sub: '' },
      { sub: 7 },
      { iss: undefined },
      { sub: 'x'.repeat(256) },
      { sub: 'a\u0000' },
      { sub: 'a\ud800' },
      // the names of the platform in the audit
      { sub: RUNTIME_ACTOR_ID },
      { sub: CONSOLE_ACTOR_ID },
    ]) {
      assert.equal(readClaims({ ...claims, ...wrong }, options), null)
    }
  })

  it('judges the time of the sign-in by the given clock, not by that of this machine', () => {
    const second = options.now.getTime() / 1000
    const timeOf = (auth_time: number, lateSeconds = 0) =>
      readClaims({ ...claims, auth_time }, { ...options, lateSeconds })?.person.authTime
    assert.equal(timeOf(second - 10), second - 10)
    assert.equal(timeOf(second + 3_600), null)
    // a provider whose clock is an hour ahead, or behind
    assert.equal(timeOf(second + 3_600, -3_600), second)
    assert.equal(timeOf(second - 3_610, 3_600), second - 10)
  })

  it('grants no role for an unknown entry (F03)', () => {
    const rolesOf = (roles: unknown) => readClaims({ ...claims, roles }, options)?.person.roles
    assert.deepEqual(rolesOf('admin'), [EVERYWHERE('admin')])
    const prod = { environmentKey: 'prod' }
    assert.deepEqual(rolesOf(['boss', { role: 'viewer', scope: prod }]), [{ role: 'viewer', scope: prod }])
    for (const odd of [
      undefined,
      null,
      7,
      true,
      {},
      { admin: true },
      [['admin']],
      'Admin',
      ['__proto__', 'constructor'],
      [{ role: 'admin', scope: 'prod' }],
      [{ role: 'admin', scope: {} }],
      [{ role: 'admin', scope: { environment: 'prod' } }],
      [{ role: 'admin', scopes: [prod] }],
      [{ role: 'admin', scope: { ...prod, applicationRuntimeId: 'a' } }],
      [{ role: 'admin', scope: { ...prod, applicationRuntimeId: 'a', workspaceId: '7' } }],
      [{ role: 'admin', scope: [prod] }],
    ]) {
      assert.deepEqual(rolesOf(odd), [], JSON.stringify(odd))
    }
    assert.equal(rolesOf(Array.from({ length: 10_000 }, () => 'viewer'))?.length, 500)
  })

  it('reads a role with its scope from a text', () => {
    const rolesOf = (roles: unknown) => readClaims({ ...claims, roles }, options)?.person.roles
    assert.deepEqual(rolesOf(['operator@production', 'support@production/eu-central/1', 'viewer']), [
      { role: 'operator', scope: { environmentKey: 'production' } },
      {
        role: 'support',
        scope: { environmentKey: 'production', applicationRuntimeId: 'eu-central', workspaceId: 1 },
      },
      EVERYWHERE('viewer'),
    ])
    for (const odd of [
      'operator@',
      '@production',
      'operator@production/',
      'operator@production/eu-central',
      'operator@production/eu-central/',
      'operator@production/eu-central/one',
      'operator@production/eu-central/1/2',
      'operator@production/eu-central/-1',
      'operator@production/eu-central/99999999999999999',
      'operator@production@staging',
      'operator@a b',
      'operator @production',
      'operator@..',
    ])
      assert.deepEqual(rolesOf(odd), [], odd)
  })

  it('gives the roles of the map only, and says what it did not recognize', () => {
    const roleMap = new Map([
      ['sg-admins', [EVERYWHERE('admin')]],
      ['team-a', [EVERYWHERE('viewer'), { role: 'operator' as const, scope: { environmentKey: 'prod' } }]],
    ])
    const read = (roles: unknown) => readClaims({ ...claims, roles }, { ...options, roleMap })?.claimed
    assert.deepEqual(read(['team-a', 'admin', 'x\u202ey', { role: 'admin' }]), {
      roles: [EVERYWHERE('viewer'), { role: 'operator', scope: { environmentKey: 'prod' } }],
      isPresent: true,
      entries: 4,
      unrecognized: ['admin', 'xy', '{"role":"admin"}'],
    })
    assert.deepEqual(read(undefined), { roles: [], isPresent: false, entries: 0, unrecognized: [] })
    const many = read(Array.from({ length: 600 }, () => 'z'.repeat(500)))
    assert.deepEqual([many?.entries, many?.unrecognized.length], [600, 5])
    assert.ok(many?.unrecognized.every((text) => text.length === 100))
  })

  it('says why auth_time is not usable', () => {
    const problemOf = (auth_time: unknown) => readClaims({ ...claims, auth_time }, options)?.authTimeProblem
    const second = options.now.getTime() / 1000
    assert.deepEqual([undefined, null, 0, -1, '5', second + 3_600, 1e300, second].map(problemOf), [
      'missing',
      'missing',
      'missing',
      'invalid',
      'invalid',
      'in the future',
      'in the future',
      null,
    ])
  })
})

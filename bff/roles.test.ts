import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mayIn, PERMISSIONS } from '#contract/endpoint/permission.ts'
import type { Permission } from '#contract/endpoint/permission.ts'
import { grantsOf, permissionsIn, ROLES } from './roles.ts'
import type { RoleGrant } from './roles.ts'

/** The expected permissions; one column for each role. */
const TABLE: [Permission, string][] = [
  ['read', 'viewer operator support admin'],
  ['configuration:write', 'operator admin'],
  ['installation:install', 'operator admin'],
  ['installation:upgrade', 'operator admin'],
  ['installation:detach', 'operator admin'],
  ['operation:retry', 'operator support admin'],
  ['operation:takeover', 'support admin'],
  ['audit:read', 'operator support admin'],
  ['audit:platform', 'support admin'],
  ['operation:export', 'support admin'],
  ['operation:annotate', 'operator support admin'],
  ['catalog:write', 'admin'],
  ['plugin:write', 'admin'],
  ['service:write', 'admin'],
  ['notification:write', 'admin'],
  ['policy:write', 'admin'],
  ['change:propose', 'operator support admin'],
  ['change:approve', 'operator support admin'],
  ['change:override', 'admin'],
  ['account:write', 'admin'],
]

describe('roles and grants', () => {
  it('match the table', () => {
    assert.equal(TABLE.length, PERMISSIONS.length)
    for (const role of ROLES) {
      const grants = grantsOf([{ role, scope: null }])
      for (const [permission, roles] of TABLE) {
        assert.equal(
          mayIn(grants, permission, { environmentKey: 'any' }),
          roles.split(' ').includes(role),
          permission + role,
        )
      }
    }
  })

  it('are limited to their scopes', () => {
    const prod = { environmentKey: 'prod' }
    const one = { ...prod, applicationRuntimeId: 'shop', workspaceId: 7 }
    const grants = grantsOf([
      { role: 'viewer', scope: prod },
      { role: 'support', scope: { workspaceId: 7, applicationRuntimeId: 'shop', environmentKey: 'prod' } },
      { role: 'operator', scope: one },
    ])
    assert.equal(grants.length, 2)
    assert.ok(mayIn(grants, 'read', { ...one, workspaceId: 8 }))
    assert.ok(!mayIn(grants, 'read', { environmentKey: 'test' }))
    assert.ok(mayIn(grants, 'operation:takeover', one) && mayIn(grants, 'configuration:write', one))
    assert.ok(!mayIn(grants, 'operation:takeover', { ...one, workspaceId: 8 }))
    assert.ok(!permissionsIn(grants).includes('plugin:write'))
  })

  it('ignore a role of a session that no longer exists', () => {
    assert.deepEqual(grantsOf([{ role: 'owner', scope: null } as unknown as RoleGrant]), [
      { permissions: [], scope: null },
    ])
  })
})

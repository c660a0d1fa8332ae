import * as z from 'zod'
import type { GrantScope, Permission } from '#contract/endpoint/permission.ts'
import { Key } from '#contract/protocol/keys.ts'
import { Scope } from '#contract/protocol/scope.ts'

/** The table of the BFF's specification: what each role may do. */
export const ROLE_PERMISSIONS = {
  viewer: ['read'],
  operator: [
    'read',
    'configuration:write',
    'installation:install',
    'installation:upgrade',
    'installation:detach',
    'operation:retry',
  ],
  support: ['read', 'operation:retry', 'operation:takeover', 'audit:read', 'operation:export'],
  admin: [
    'read',
    'configuration:write',
    'installation:install',
    'installation:upgrade',
    'installation:detach',
    'operation:retry',
    'operation:takeover',
    'audit:read',
    'operation:export',
    'catalog:write',
    'plugin:write',
    'service:write',
  ],
} as const satisfies Record<string, readonly Permission[]>

export type Role = keyof typeof ROLE_PERMISSIONS
export const ROLES = Object.keys(ROLE_PERMISSIONS) as Role[]

/** A role and where it holds; null is everywhere. */
export interface RoleGrant {
  role: Role
  scope: GrantScope
}

const RoleScope = z.union([Scope, z.strictObject({ environmentKey: Key })])

/** One entry of a roles claim: a role name (everywhere), or a role with the scope where it holds. */
export const RoleEntry = z.union([
  z.enum(ROLES).transform((role): RoleGrant => ({ role, scope: null })),
  z
    .strictObject({ role: z.enum(ROLES), scope: RoleScope.nullish() })
    .transform(({ role, scope }): RoleGrant => ({ role, scope: scope ?? null })),
])

/** One text for each place, however its scope was written down. */
export function placeKey(scope: GrantScope): string {
  if (scope === null) return 'everywhere'
  const { environmentKey } = scope
  if (!('applicationRuntimeId' in scope)) return JSON.stringify([environmentKey])
  return JSON.stringify([environmentKey, scope.applicationRuntimeId, scope.workspaceId])
}

const MAX_ENTRIES = 500

/**
 * The roles in a claim. An entry that is not understood gives nothing, and above all not everything: a scope with a
 * misspelt part must not become a role without a limit.
 */
export function rolesOfClaim(claim: unknown): RoleGrant[] {
  const entries: unknown[] = Array.isArray(claim) ? claim : [claim]
  return entries.slice(0, MAX_ENTRIES).flatMap((entry) => {
    const parsed = RoleEntry.safeParse(entry)
    return parsed.success ? [parsed.data] : []
  })
}

/**
 * The value of the roles claim: under its whole name, or along its dots (`realm_access.roles`), as some providers nest
 * it. Undefined where there is none.
 */
export function findClaim(claims: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let value: unknown = claims
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}

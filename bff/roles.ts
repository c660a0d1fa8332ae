import * as z from 'zod'
import { roleOfText, ROLES } from '#contract/console-api/role-text.ts'
import type { Role } from '#contract/console-api/role-text.ts'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import type { GrantScope, Permission, Grant } from '#contract/endpoint/permission.ts'
import { Key } from '#contract/protocol/keys.ts'
import { Scope } from '#contract/protocol/scope.ts'
import { plainText } from './plain-text.ts'

/** The permissions of each role. */
const ROLE_PERMISSIONS = {
  viewer: ['read'],
  operator: [
    'read',
    'configuration:write',
    'installation:install',
    'installation:upgrade',
    'installation:detach',
    'operation:retry',
    'operation:annotate',
    'change:propose',
    'change:approve',
    'audit:read',
  ],
  support: [
    'read',
    'operation:retry',
    'operation:annotate',
    'change:propose',
    'change:approve',
    'operation:takeover',
    'audit:read',
    'audit:platform',
    'operation:export',
  ],
  admin: [
    'read',
    'configuration:write',
    'installation:install',
    'installation:upgrade',
    'installation:detach',
    'operation:retry',
    'operation:annotate',
    'change:propose',
    'change:approve',
    'operation:takeover',
    'audit:read',
    'audit:platform',
    'operation:export',
    'catalog:write',
    'plugin:write',
    'service:write',
    'notification:write',
    'policy:write',
    'change:override',
    'account:write',
  ],
} as const satisfies Record<Role, readonly Permission[]>

export { ROLES } from '#contract/console-api/role-text.ts'
export type { Role } from '#contract/console-api/role-text.ts'

/** A role and its scope; null means everywhere. */
export interface RoleGrant {
  role: Role
  scope: GrantScope
}

const RoleScope = z.union([Scope, z.strictObject({ environmentKey: Key })])

/** One entry of a roles claim: a role as a text, or a role with its scope. */
export const RoleEntry = z.union([
  z.string().transform((text, context): RoleGrant => {
    const grant = roleOfText(text)
    if (grant !== null) return grant
    context.addIssue({ code: 'custom', message: `a role is needed: ${ROLES.join(', ')}` })
    return z.NEVER
  }),
  z
    .strictObject({ role: z.enum(ROLES), scope: RoleScope.nullish() })
    .transform(({ role, scope }): RoleGrant => ({ role, scope: scope ?? null })),
])

/** The roles of each value of the roles claim, such as the name of a group. */
export type RoleMap = ReadonlyMap<string, readonly RoleGrant[]>

/** A canonical key for a scope. */
export function placeKey(scope: GrantScope): string {
  if (scope === null) return 'everywhere'
  const { environmentKey } = scope
  if (!('applicationRuntimeId' in scope)) return JSON.stringify([environmentKey])
  return JSON.stringify([environmentKey, scope.applicationRuntimeId, scope.workspaceId])
}

const MAX_ENTRIES = 500

/** What a roles claim says. */
export interface ClaimedRoles {
  roles: RoleGrant[]
  /** Whether the claim is there at all. */
  isPresent: boolean
  /** The number of its entries. */
  entries: number
  /** The entries that give no role, as texts that can be logged; at most a few, each cut off. */
  unrecognized: string[]
}

const MAX_UNRECOGNIZED = 5
const MAX_ENTRY_TEXT = 100

/**
 * The roles in a claim. Entries that cannot be parsed grant nothing: a scope with a misspelled part must not
 * become a role without a limit.
 *
 * @param map If there is one, only its values count: a group that happens to be called "admin" gives no role.
 */
export function rolesOfClaim(claim: unknown, map: RoleMap | null = null): ClaimedRoles {
  const all: unknown[] = Array.isArray(claim) ? claim : claim == null ? [] : [claim]
  const roles: RoleGrant[] = []
  const unrecognized: string[] = []
  for (const entry of all.slice(0, MAX_ENTRIES)) {
    const granted =
      map === null ? grantOfEntry(entry) : typeof entry === 'string' ? map.get(entry) : undefined
    if (granted !== undefined) roles.push(...granted)
    else if (unrecognized.length < MAX_UNRECOGNIZED) unrecognized.push(textOfEntry(entry))
  }
  return { roles, isPresent: claim !== undefined, entries: all.length, unrecognized }
}

function grantOfEntry(entry: unknown): readonly RoleGrant[] | undefined {
  const parsed = RoleEntry.safeParse(entry)
  return parsed.success ? [parsed.data] : undefined
}

function textOfEntry(entry: unknown): string {
  return plainText(typeof entry === 'string' ? entry : (JSON.stringify(entry) ?? ''), MAX_ENTRY_TEXT)
}

/**
 * The value of the roles claim: under its full name, or nested along its dots (`realm_access.roles`), as some
 * providers do. Undefined if there is none.
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

/** The grants of roles: one for each place, with the permissions of all roles that apply there. */
export function grantsOf(roles: readonly RoleGrant[]): Grant[] {
  const byPlace = new Map<string, Grant>()
  for (const { role, scope } of roles) {
    const place = placeKey(scope)
    const granted = byPlace.get(place)?.permissions ?? []
    const both = new Set<Permission>([...granted, ...permissionsOf(role)])
    byPlace.set(place, { permissions: inOrder(both), scope })
  }
  return [...byPlace.values()]
}

/** Every permission that is granted anywhere. Decides what the console shows, not what is allowed. */
export function permissionsIn(grants: readonly Grant[]): Permission[] {
  return inOrder(new Set(grants.flatMap((grant) => grant.permissions)))
}

/** Sessions outlive releases: a role that no longer exists grants nothing. */
function permissionsOf(role: Role): readonly Permission[] {
  return Object.hasOwn(ROLE_PERMISSIONS, role) ? ROLE_PERMISSIONS[role] : []
}

function inOrder(permissions: ReadonlySet<Permission>): Permission[] {
  return PERMISSIONS.filter((permission) => permissions.has(permission))
}

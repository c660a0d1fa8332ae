import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { roleOfText, ROLES, type Role } from '#contract/console-api/role-text.ts'
import { PERMISSIONS, type GrantScope, type Permission, type Grant } from '#contract/endpoint/permission.ts'
import { Key } from '#contract/protocol/keys.ts'
import { Scope } from '#contract/protocol/scope.ts'
import { StrictJsonError } from '#contract/protocol/json-text-problem.ts'
import { parseStrictJson } from '#contract/protocol/strict-json.ts'
import { SettingsError, whyUnreadable } from '#http-kit/settings.ts'
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

const RoleMapFile = z.record(z.string().min(1).max(512), z.array(RoleEntry).max(100))

const SHAPE =
  'a JSON object is needed that gives each value of the claim a list of roles, such as {"team-a": ["operator@production"]}'

/**
 * Reads `OIDC_ROLE_MAP_FILE`.
 *
 * @throws SettingsError with one line that says which value of the claim is wrong.
 */
export function readRoleMap(file: string): RoleMap {
  const subject = `OIDC_ROLE_MAP_FILE is wrong: ${file}`
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new SettingsError(`${subject} ${whyUnreadable(error)}`)
  }
  let json: unknown
  try {
    json = parseStrictJson(text)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new SettingsError(`${subject}: ${error.messageWithoutPath}`)
  }
  const map = RoleMapFile.safeParse(json)
  if (map.success) return new Map(Object.entries(map.data))
  const [value, index] = map.error.issues[0]?.path ?? []
  if (value === undefined) throw new SettingsError(`${subject}: ${SHAPE}`)
  const place = JSON.stringify(String(value)) + (index === undefined ? '' : `, entry ${Number(index) + 1}`)
  throw new SettingsError(`${subject}: the roles of ${place} are wrong; ${SHAPE}`)
}

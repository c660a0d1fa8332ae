import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import type { Grant, Permission } from '#contract/endpoint/permission.ts'
import { placeKey, ROLE_PERMISSIONS } from './roles.ts'
import type { Role, RoleGrant } from './roles.ts'

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

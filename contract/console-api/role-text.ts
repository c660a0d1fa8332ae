import type { GrantScope } from '#contract/endpoint/permission.ts'
import { isKey } from '#contract/protocol/locator.ts'

export const ROLES = ['viewer', 'operator', 'support', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** A role and its scope; null means everywhere. */
export interface RoleInScope {
  role: Role
  scope: GrantScope
}

/**
 * A role as one text: `operator` (everywhere), `operator@production`, or `operator@production/eu-central/1`. Null if it is
 * none; a part that is wrong never widens the scope.
 */
export function roleOfText(text: string): RoleInScope | null {
  const [name, place, ...more] = text.split('@')
  const role = ROLES.find((known) => known === name)
  if (role === undefined || more.length > 0) return null
  if (place === undefined) return { role, scope: null }
  const [environmentKey = '', applicationRuntimeId, workspace = '', ...rest] = place.split('/')
  if (!isKey(environmentKey) || rest.length > 0) return null
  if (applicationRuntimeId === undefined) return { role, scope: { environmentKey } }
  const workspaceId = /^\d{1,16}$/.test(workspace) ? Number(workspace) : Number.NaN
  if (!isKey(applicationRuntimeId) || !Number.isSafeInteger(workspaceId)) return null
  return { role, scope: { environmentKey, applicationRuntimeId, workspaceId } }
}

/** The text of a role, which {@link roleOfText} reads. */
export function textOfRole({ role, scope }: RoleInScope): string {
  if (scope === null) return role
  if (!('applicationRuntimeId' in scope)) return `${role}@${scope.environmentKey}`
  return `${role}@${scope.environmentKey}/${scope.applicationRuntimeId}/${scope.workspaceId}`
}

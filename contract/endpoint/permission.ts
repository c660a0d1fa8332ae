/** Every permission that a person can have. The table of roles that grant them belongs to the BFF. */
export const PERMISSIONS = [
  'read',
  'configuration:write',
  'installation:install',
  'installation:upgrade',
  'installation:detach',
  'operation:retry',
  'operation:takeover',
  'operation:export',
  'operation:annotate',
  'audit:read',
  // beside `audit:read`: entries that belong to no scope, such as sign-ins and changes to plugins
  'audit:platform',
  'catalog:write',
  'plugin:write',
  'service:write',
  'notification:write',
  // a change that others approve, and its approval
  'change:propose',
  'change:approve',
  // freezes, and what an environment asks of a change
  'policy:write',
  // a change in spite of a freeze, with a reason
  'change:override',
  // sessions of all people, and service accounts; only the console knows it
  'account:write',
] as const

export type Permission = (typeof PERMISSIONS)[number]

/** Permissions for what the console stores itself. No row of the runtime needs them, so assertions leave them out. */
export const CONSOLE_PERMISSIONS: readonly Permission[] = ['account:write']

/** Where a grant applies: `null` means everywhere; an environment alone means all of its scopes. */
export type GrantScope =
  | null
  | { environmentKey: string }
  | { environmentKey: string; applicationRuntimeId: string; workspaceId: number }

export interface Grant {
  permissions: Permission[]
  scope: GrantScope
}

/** The place to check; fewer parts than a scope has mean "all of it". */
export interface Place {
  environmentKey: string
  applicationRuntimeId?: string
  workspaceId?: number
}

/** Whether one of the grants gives the permission for the whole place. */
export function mayIn(grants: readonly Grant[], permission: Permission, place: Place): boolean {
  return grants.some((grant) => grant.permissions.includes(permission) && covers(grant.scope, place))
}

/** Whether the permission is granted in any place. */
export function mayAnywhere(grants: readonly Grant[], permission: Permission): boolean {
  return grants.some((grant) => grant.permissions.includes(permission))
}

/** Whether the permission is granted without limits, as platform-wide objects (plugins, services) require. */
export function mayEverywhere(grants: readonly Grant[], permission: Permission): boolean {
  return grants.some((grant) => grant.permissions.includes(permission) && grant.scope === null)
}

function covers(granted: GrantScope, place: Place): boolean {
  if (granted === null) return true
  if (granted.environmentKey !== place.environmentKey) return false
  if (!('applicationRuntimeId' in granted)) return true
  return (
    granted.applicationRuntimeId === place.applicationRuntimeId && granted.workspaceId === place.workspaceId
  )
}

/** How long a sign-in counts as recent, unless RECENT_SIGN_IN_SECONDS says otherwise. */
export const RECENT_SIGN_IN_SECONDS = 300

/** The clock that said when may be ahead by this much. A time after that is wrong, and proves nothing. */
const TOLERANCE_SECONDS = 60

/**
 * Whether a person signed in recently.
 *
 * @param secondsAgo when the identity provider authenticated them; null if it did not say.
 */
export function isRecentSignIn(secondsAgo: number | null, limitSeconds: number): boolean {
  return secondsAgo !== null && secondsAgo <= limitSeconds && secondsAgo >= -TOLERANCE_SECONDS
}

/** The issuer of service accounts: no identity provider can have it, because it is no URL. */
export const SERVICE_ACCOUNT_ISSUER = 'service-account'

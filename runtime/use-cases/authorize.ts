import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { mayAnywhere, mayIn } from '#contract/endpoint/permission.ts'
import type { Permission, Place } from '#contract/endpoint/permission.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { DomainError } from '../engine/refusals.ts'
import type { Actor } from '../model/actor.ts'
import type { Db } from '../model/db.ts'
import { findScopeOf } from '../store/visible-scopes.ts'
import type { PathObject } from '../store/visible-scopes.ts'

/** Refuses unless the actor has the permission for all of the place. */
export function authorize(actor: Actor, permission: Permission, place: Place): void {
  if (mayIn(actor.grants, permission, place)) return
  throw new DomainError('PERMISSION_DENIED', platformMessage('permissionNeeded', { permission }))
}

/** Refuses unless the person signed in recently. Comes after the check of the permission. */
export function requireRecentSignIn({ signedInRecently }: Actor): void {
  if (signedInRecently === true) return
  throw new DomainError('RECENT_SIGN_IN_REQUIRED', platformMessage('recentSignInRequired'))
}

/** A person who may not read an object gets the same refusal as for an object that does not exist. */
export function requireVisible(actor: Actor, place: Place, what: string): void {
  if (mayIn(actor.grants, 'read', place)) return
  throw notFound(what)
}

/**
 * Refuses an operation or installation that does not exist or that the actor may not see (NOT_FOUND), else with PERMISSION_DENIED.
 * Returns its scope. Comes before the object is locked or read: who may not see it neither waits for it nor makes others wait, which would tell that
 * it exists.
 */
export async function authorizeObject(
  db: Db,
  actor: Actor,
  permission: Permission,
  object: PathObject,
): Promise<Scope> {
  const what = 'operationId' in object ? 'operation' : 'installation'
  const place = await findScopeOf(db, object)
  if (place === undefined) throw notFound(what)
  requireVisible(actor, place, what)
  authorize(actor, permission, place)
  return place
}

/** Whether the actor may read something in the place: of an environment, one scope is enough. */
export function reads({ grants }: Actor, place: Place): boolean {
  if (place.applicationRuntimeId !== undefined) return mayIn(grants, 'read', place)
  const there = grants.filter(({ scope }) => scope === null || scope.environmentKey === place.environmentKey)
  return mayAnywhere(there, 'read')
}

export function notFound(what: string): DomainError {
  return new DomainError('NOT_FOUND', platformMessage('notFound', { kind: what }))
}

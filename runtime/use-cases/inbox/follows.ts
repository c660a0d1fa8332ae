import { inTransaction } from '#database/transaction.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { Person } from '#contract/runtime-api/common.ts'
import type { Follow, FollowSubject } from '#contract/runtime-api/inbox.ts'
import { DomainError } from '../../engine/refusals.ts'
import { findScope, scopeOf } from '../../store/configuration/scopes.ts'
import { deleteFollow, listFollows, lockFollows, putFollow } from '../../store/inbox/follows.ts'
import type { FollowRow } from '../../store/inbox/follows.ts'
import { mayOfCause } from '../../store/operations/causes.ts'
import { findScopeOf } from '../../store/visible-scopes.ts'
import { authorize, notFound, requireVisible } from '../authorize.ts'
import type { Actor } from '../../model/actor.ts'
import type { Tx } from '../../model/db.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { findPerson } from '../operations/annotate.ts'

export const FOLLOWS_MAX = 200

export async function readFollows({ deps, actor }: ReadContext): Promise<Answer<'GET /follows'>> {
  return { items: (await listFollows(deps.db, actor)).map(followView), nextCursor: null }
}

/**
 * Follows something that the actor may read. Refuses with PERMISSION_DENIED to notify other people of a failure unless the actor
 * may assign it to them, and with REQUEST_INVALID a person who has never signed in, or more than the maximum number of follows.
 */
export function saveFollow(
  { deps, actor }: ReadContext,
  { body }: Input<'PUT /follows'>,
): Promise<Answer<'PUT /follows'>> {
  const { subject } = body
  return inTransaction(deps.db, async (tx) => {
    const escalatesToOthers = body.escalateTo.some((id) => id !== actor.id)
    const scopeId = await authorizeFollow(tx, actor, subject, escalatesToOthers)
    const people: Person[] = []
    for (const id of new Set(body.escalateTo)) people.push(await findPerson({ tx, actor }, id))
    const follow = {
      person_id: actor.id,
      person_name: actor.name,
      kind: subject.kind,
      object_id: objectOf(subject) ?? String(scopeId),
      scope_id: scopeId,
      escalate_after_minutes: body.escalateAfterMinutes,
      escalate_to: people,
    }
    if ((await lockFollows(tx, actor.id, follow)) >= FOLLOWS_MAX)
      throw new DomainError('REQUEST_INVALID', platformMessage('followsFull', { max: FOLLOWS_MAX }))
    const [saved] = await listFollows(tx, actor, await putFollow(tx, follow))
    if (saved === undefined) throw new TypeError('the follow was just saved')
    return followView(saved)
  })
}

/** Ends a follow. */
export function removeFollow(
  { deps, actor }: ReadContext,
  { params: { followId } }: Input<'DELETE /follows/{followId}'>,
): Promise<Answer<'DELETE /follows/{followId}'>> {
  return inTransaction(deps.db, async (tx) => {
    const [follow] = await listFollows(tx, actor, followId)
    if (follow === undefined) throw notFound('follow')
    await deleteFollow(tx, followId)
    return { followId }
  })
}

/** Returns the scope of the subject; null for a cause. Refuses what the actor may not read, or not assign to `others`. */
async function authorizeFollow(
  tx: Tx,
  actor: Actor,
  subject: FollowSubject,
  others: boolean,
): Promise<number | null> {
  if (subject.kind === 'cause') {
    if (!(await mayOfCause(tx, actor, 'read', subject.causeId))) throw notFound('cause')
    if (others && !(await mayOfCause(tx, actor, 'operation:annotate', subject.causeId)))
      throw new DomainError(
        'PERMISSION_DENIED',
        platformMessage('permissionNeeded', { permission: 'operation:annotate' }),
      )
    return null
  }
  const place = subject.kind === 'scope' ? subject.scope : await findScopeOf(tx, subject)
  if (place === undefined) throw notFound(subject.kind)
  requireVisible(actor, place, subject.kind)
  if (others) authorize(actor, 'operation:annotate', place)
  const scope = await findScope(tx, place)
  if (scope === undefined) throw notFound('scope')
  return scope.scope_id
}

const objectOf = (subject: FollowSubject): string | null => {
  switch (subject.kind) {
    case 'operation':
      return subject.operationId
    case 'installation':
      return subject.bundleInstallId
    case 'cause':
      return subject.causeId
    case 'scope':
      return null
  }
}

function subjectOf(row: FollowRow): FollowSubject {
  switch (row.kind) {
    case 'operation':
      return { kind: 'operation', operationId: row.object_id }
    case 'installation':
      return { kind: 'installation', bundleInstallId: row.object_id }
    case 'cause':
      return { kind: 'cause', causeId: row.object_id }
    case 'scope':
      return { kind: 'scope', scope: placeOf(row) }
  }
}

/** A constraint of the table gives every follow a scope, except that of a cause. */
const placeOf = (row: FollowRow) => scopeOf(row as Parameters<typeof scopeOf>[0])

const followView = (row: FollowRow): Follow => ({
  followId: row.follow_id,
  subject: subjectOf(row),
  title: row.title,
  operationType: row.operation_type,
  scope: row.scope_id === null ? null : placeOf(row),
  cause:
    row.error_code === null
      ? null
      : { causeId: row.object_id, pluginId: row.plugin_id, errorCode: row.error_code },
  createdAt: row.created_at,
  escalateAfterMinutes: row.escalate_after_minutes,
  escalateTo: row.escalate_to,
  escalatesUntil: row.escalates_until,
})

import type { Place } from '#contract/endpoint/permission.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { scopeText } from '#contract/protocol/scope-text.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { FREEZES_MAX } from '#contract/runtime-api/freezes.ts'
import type { Freeze } from '#contract/runtime-api/freezes.ts'
import { frozenUntil, nextWindow, windowsIn } from '../../engine/gate/freeze-windows.ts'
import type { Window } from '../../engine/gate/freeze-windows.ts'
import { DomainError } from '../../engine/refusals.ts'
import type { Actor } from '../../model/actor.ts'
import type { FreezeSettings } from '../../model/freeze.ts'
import { deleteFreeze, findFreeze, lockFreezes, putFreeze, selectFreezes } from '../../store/freezes.ts'
import type { FreezeRow } from '../../store/freezes.ts'
import type { ScopeFilter } from '../../store/visible-scopes.ts'
import { fieldChanges, recordAudit } from '../audit/record.ts'
import type { Fields } from '../audit/record.ts'
import { authorize, notFound, reads, requireRecentSignIn } from '../authorize.ts'
import type { Answer, Input, ReadContext, WriteContext } from '../context.ts'

/** Freezes of places that the actor may read: the active ones first, then by when they begin, then those that are over. */
export async function listFreezes(
  { deps, actor }: ReadContext,
  { query }: Input<'GET /freezes'>,
): Promise<Answer<'GET /freezes'>> {
  const { now, freezes } = await selectFreezes(deps.db)
  const items = freezes
    .flatMap((row) => freezeView(row, actor, now) ?? [])
    .filter((freeze) => isIn(freeze, query) && (query.active === undefined || freeze.active !== null))
  return { items: items.toSorted((one, other) => (rankOf(one) < rankOf(other) ? -1 : 1)), nextCursor: null }
}

/**
 * The freezes of some places that the actor may read and that refuse something in a time, with their windows in it. What was over when
 * a freeze was saved last is left out: it was not that freeze.
 */
export async function freezesIn(
  { deps, actor }: ReadContext,
  filter: ScopeFilter,
  time: Window,
): Promise<
  { name: string; message: string; blocks: Freeze['blocks']; windows: { from: string; to: string }[] }[]
> {
  const { now, freezes } = await selectFreezes(deps.db)
  return freezes.flatMap((row) => {
    const view = freezeView(row, actor, now)
    if (view === null || !isIn(view, filter)) return []
    const savedAt = Date.parse(row.updated_at)
    const windows = windowsIn(row.settings, time).filter(({ to }) => to > savedAt)
    if (windows.length === 0) return []
    const { name, settings } = row
    const shown = windows.map(({ from, to }) => ({ from: timestamp(from), to: timestamp(to) }))
    return [{ name, message: settings.message, blocks: settings.blocks, windows: shown }]
  })
}

/** Refuses with NOT_FOUND if the actor may read none of its places. */
export async function readFreeze(
  { deps, actor }: ReadContext,
  { params: { name } }: Input<'GET /freezes/{name}'>,
): Promise<Answer<'GET /freezes/{name}'>> {
  const { now, freezes } = await selectFreezes(deps.db)
  const row = freezes.find((freeze) => freeze.name === name)
  const view = row === undefined ? null : freezeView(row, actor, now)
  if (view === null) throw notFound('freeze')
  return view
}

/**
 * Creates or changes a freeze; it counts for the next request. Refuses unless the actor has `policy:write` for every place that it
 * has, or had before; with RECENT_SIGN_IN_REQUIRED to change one; with FREEZE_STALE if it is not the one that the caller saw.
 */
export async function saveFreeze(
  { tx, actor }: WriteContext,
  { params: { name }, body }: Input<'PUT /freezes/{name}'>,
): Promise<Answer<'PUT /freezes/{name}'>> {
  const { updatedAt, reason, ...given } = body
  const settings: FreezeSettings = {
    environments: given.environments ?? null,
    scopes: given.scopes ?? null,
    from: given.from ?? null,
    to: given.to ?? null,
    weekly: given.weekly ?? null,
    timeZone: given.timeZone,
    blocks: given.blocks,
    allowsRecovery: given.allowsRecovery,
    message: given.message,
  }
  authorizePlaces(actor, settings)
  const count = await lockFreezes(tx)
  const before = await findFreeze(tx, name)
  if (before !== undefined) {
    authorizePlaces(actor, before.settings)
    // a change can end it, as its deletion does
    requireRecentSignIn(actor)
  }
  if (updatedAt === null && before !== undefined)
    throw new DomainError('FREEZE_STALE', platformMessage('freezeExists'))
  if (typeof updatedAt === 'string' && before?.updated_at !== updatedAt)
    throw new DomainError('FREEZE_STALE', platformMessage('freezeStale'))
  if (before === undefined && count >= FREEZES_MAX)
    throw new DomainError('REQUEST_INVALID', platformMessage('freezesFull', { max: FREEZES_MAX }))
  const row = await putFreeze(tx, actor, name, settings)
  await recordAudit(tx, actor, {
    action: 'freeze.save',
    subject: name,
    ...scopeOfFreeze(before === undefined ? [settings] : [settings, before.settings]),
    reason: reason ?? null,
    changes: fieldChanges(before === undefined ? null : fieldsOf(before.settings), fieldsOf(settings)),
  })
  const { now } = await selectFreezes(tx)
  const view = freezeView(row, { ...actor, grants: [{ permissions: ['read'], scope: null }] }, now)
  if (view === null) throw new Error('A freeze without a place was stored')
  return view
}

/** Deletes a freeze. Refuses with NOT_FOUND, and unless the actor has `policy:write` for every place of it. */
export async function removeFreeze(
  { tx, actor }: WriteContext,
  { params: { name } }: Input<'DELETE /freezes/{name}'>,
): Promise<Answer<'DELETE /freezes/{name}'>> {
  await lockFreezes(tx)
  const before = await findFreeze(tx, name)
  if (before === undefined || placesOf(before.settings).every((place) => !reads(actor, place)))
    throw notFound('freeze')
  authorizePlaces(actor, before.settings)
  await deleteFreeze(tx, name)
  await recordAudit(tx, actor, {
    action: 'freeze.delete',
    subject: name,
    ...scopeOfFreeze([before.settings]),
    changes: fieldChanges(fieldsOf(before.settings), {}),
  })
  return { name }
}

const placesOf = ({ environments, scopes }: FreezeSettings): Place[] =>
  environments?.map((environmentKey) => ({ environmentKey })) ?? scopes ?? []

function authorizePlaces(actor: Actor, settings: FreezeSettings): void {
  for (const place of placesOf(settings)) authorize(actor, 'policy:write', place)
}

/** The audit of a freeze belongs to its scope if it has only one, and had no other: the entry names what it had before. */
function scopeOfFreeze(all: readonly FreezeSettings[]): { scope?: Scope } {
  const places = all.flatMap(({ environments, scopes }) => [
    ...(environments ?? []),
    ...(scopes ?? []).map(scopeText),
  ])
  const [scope] = all[0]?.scopes ?? []
  return scope !== undefined && new Set(places).size === 1 ? { scope } : {}
}

function fieldsOf({ scopes, weekly, ...settings }: FreezeSettings): Fields {
  return {
    ...settings,
    scopes: scopes?.map((scope) => ({ ...scope })),
    weekly: weekly === null ? null : { ...weekly },
  }
}

/** A freeze with the places that the actor may read; null if it has none of them. */
function freezeView({ name, settings, ...row }: FreezeRow, actor: Actor, now: string): Freeze | null {
  const environments = settings.environments?.filter((environmentKey) => reads(actor, { environmentKey }))
  const scopes = settings.scopes?.filter((scope) => reads(actor, scope))
  if ((environments ?? []).length === 0 && (scopes ?? []).length === 0) return null
  const at = Date.parse(now)
  const active = frozenUntil([settings], at)
  const next = active === null ? nextWindow(settings, at) : null
  return {
    ...settings,
    name,
    environments: environments ?? null,
    scopes: scopes ?? null,
    active: active && { until: active.until === Infinity ? null : timestamp(active.until) },
    next: next && { from: timestamp(next.from), to: timestamp(next.to) },
    updatedAt: row.updated_at,
    updatedBy: { id: row.updated_by_id, name: row.updated_by_name },
  }
}

const timestamp = (at: number): string => new Date(at).toISOString()

/** Whether a freeze concerns some scope of the filter. */
function isIn({ environments, scopes }: Freeze, filter: ScopeFilter): boolean {
  const { environmentKey, applicationRuntimeId, workspaceId } = filter
  const isEnvironment =
    environments !== null && (environmentKey === undefined || environments.includes(environmentKey))
  return (
    isEnvironment ||
    (scopes ?? []).some(
      (scope) =>
        (environmentKey === undefined || scope.environmentKey === environmentKey) &&
        (applicationRuntimeId === undefined || scope.applicationRuntimeId === applicationRuntimeId) &&
        (workspaceId === undefined || scope.workspaceId === workspaceId),
    )
  )
}

/** As text in the order of the list. */
function rankOf({ active, next, name }: Freeze): string {
  return active !== null ? `0 ${name}` : next !== null ? `1 ${next.from} ${name}` : `2 ${name}`
}

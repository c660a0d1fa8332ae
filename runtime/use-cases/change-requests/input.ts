import { getOwn } from '#contract/json-schema/json.ts'
import { wrapData } from '#contract/protocol/data.ts'
import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { NewChangeRequest } from '#contract/runtime-api/change-requests.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { RuntimeDeps } from '../../deps/runtime-deps.ts'
import { protectedProblems } from '../../engine/changes/check-changes.ts'
import { DomainError, refuseFor } from '../../engine/refusals.ts'
import type { Actor } from '../../model/actor.ts'
import type { Tx } from '../../model/db.ts'
import { lockScope } from '../../store/configuration/scopes.ts'
import { findScopeOf } from '../../store/visible-scopes.ts'
import type { PathObject } from '../../store/visible-scopes.ts'
import { authorize, notFound, requireVisible } from '../authorize.ts'
import { staleSnapshot } from '../configuration/snapshot.ts'
import type { WriteContext } from '../context.ts'
import { requireSource } from '../installations/seed.ts'
import { canonicalText } from '../plans/plan-token.ts'
import { readNamed } from './evaluate.ts'
import type { ChangeContent, ChangeInput } from './content.ts'
import { mapBatch, mapChanges } from './secrets.ts'

/** The key of the digests of a request. */
export const newKey = ({ random }: Pick<RuntimeDeps, 'random'>): string =>
  Buffer.from(random.bytes(32)).toString('base64url')

export type Given = Pick<NewChangeRequest, 'kind' | 'input'> & {
  scope?: Extract<NewChangeRequest, { kind: 'CONFIGURE' }>['scope']
}

/** The content of a request from what is given, with the values that it keeps. */
export async function contentFor(
  context: WriteContext,
  given: Given,
  { key, before }: { key: string; before: ChangeInput | null },
): Promise<ChangeContent> {
  const { tx, deps, actor } = context
  const change = inputOf(given, before)
  refuseFor(changesIn(change).flatMap(protectedProblems))
  const named =
    change.kind === 'CONFIGURE' ? change.scope : change.kind === 'INSTALL' ? change.input.scope : null
  if (named !== null) {
    // first, because the snapshot that they saw tells something about a scope
    authorize(actor, 'read', named)
    authorize(actor, 'change:propose', named)
  }
  const target = targetOf(change)
  if (target !== null) await requireVisibleTarget(tx, actor, target)
  // a request is planned as its author, who may see installations that the person who edits it may not
  const source = sourceOf(change)
  if (before !== null && source !== undefined && source !== sourceOf(before))
    await requireSource(tx, actor, source)
  if (change.kind !== 'CONFIGURE') return { change, base: {}, key }
  // first: what is read as the base of the change must be what the person has seen
  const scope = await lockScope(tx, change.scope)
  if (scope === undefined) throw notFound('scope')
  const seen = (given.input as { snapshotVersion?: number }).snapshotVersion
  if (seen !== scope.snapshot_version) throw staleSnapshot(scope.snapshot_version)
  const { current } = await readNamed({ db: tx, keys: deps }, scope, change.input.changes)
  return { change, base: current, key }
}

/** The installation or operation that is changed, if it is one. The targets of a batch are looked for as it is planned. */
function targetOf(change: ChangeInput): PathObject | null {
  switch (change.kind) {
    case 'UPGRADE':
    case 'DETACH':
      return { bundleInstallId: change.input.bundleInstallId }
    case 'TAKEOVER':
      return { operationId: change.input.operationId }
    case 'CONFIGURE':
    case 'INSTALL':
    case 'BATCH':
      return null
  }
}

/** Comes before the target is planned, which takes time and opens what is sealed: both would tell that it exists. */
async function requireVisibleTarget(tx: Tx, actor: Actor, target: PathObject): Promise<void> {
  const place = await findScopeOf(tx, target)
  if (place === undefined) throw notFound('target')
  requireVisible(actor, place, 'target')
}

/** The installation from which an INSTALL copies. */
const sourceOf = (change: ChangeInput): string | undefined =>
  change.kind === 'INSTALL' ? change.input.copyFrom?.bundleInstallId : undefined

/** The values that an ordinary request changes. */
export function changesIn(change: ChangeInput): Changes[] {
  switch (change.kind) {
    case 'CONFIGURE':
      return [change.input.changes]
    case 'INSTALL':
    case 'UPGRADE':
      return change.input.properties === undefined ? [] : [change.input.properties]
    case 'DETACH':
    case 'TAKEOVER':
    case 'BATCH':
      return []
  }
}

function inputOf(given: Given, before: ChangeInput | null): ChangeInput {
  const kept = (changes: KeptChanges, stored: Changes | undefined) => keptChanges(changes, stored ?? {})
  // the discriminated union of the contract has parsed which input belongs to which kind
  const one = given as NewChangeRequest
  switch (one.kind) {
    case 'CONFIGURE': {
      const { snapshotVersion: _, changes, ...input } = one.input
      const stored = before?.kind === 'CONFIGURE' ? before.input.changes : undefined
      return { kind: 'CONFIGURE', scope: one.scope, input: { ...input, changes: kept(changes, stored) } }
    }
    case 'INSTALL':
    case 'UPGRADE': {
      const stored = before !== null && isSameTarget(before, one) ? propertiesOf(before) : undefined
      const { properties } = one.input
      const values = properties && { properties: kept(properties, stored) }
      return { kind: one.kind, input: { ...one.input, ...values } } as ChangeInput
    }
    case 'BATCH':
      // it is given whole each time, and keeps nothing
      return { kind: 'BATCH', input: mapBatch(one.input, (changes) => keptChanges(changes, {})) }
    case 'DETACH':
    case 'TAKEOVER':
      return { kind: one.kind, input: one.input } as ChangeInput
  }
}

/** What a value was given for: it is kept there, and never goes elsewhere with an edit. */
function isSameTarget(before: ChangeInput, { kind, input }: NewChangeRequest): boolean {
  const targetOf = (one: object): string =>
    canonicalText(Object.fromEntries(Object.entries(one).filter(([name]) => TARGET_FIELDS.has(name))))
  return before.kind === kind && targetOf(before.input) === targetOf(input)
}
const TARGET_FIELDS: ReadonlySet<string> = new Set(['scope', 'bundle', 'bundleInstallId'])

const propertiesOf = (change: ChangeInput): Changes | undefined =>
  'properties' in change.input ? change.input.properties : undefined

type KeptChanges = Extract<NewChangeRequest, { kind: 'CONFIGURE' }>['input']['changes']

/** Puts in the stored value where a change keeps it. */
function keptChanges(changes: KeptChanges, stored: Changes): Changes {
  return mapChanges(changes, (value, locator, property) => {
    if (value === null || value['@type'] !== 'Data') return value
    // the definition says whether it is a secret, not the person who gives it
    if ('value' in value) return wrapData(value.value)
    const kept = getOwn(getOwn(stored, locator) ?? {}, property)
    if (kept !== undefined) return kept
    throw new DomainError('REQUEST_INVALID', platformMessage('changeValueUnknown'), {
      details: [
        { locator, property, errorCode: 'REQUEST_INVALID', ...platformMessage('changeValueUnknown') },
      ],
    })
  })
}

import { platformMessage } from '#contract/protocol/platform-messages.ts'
import type { BundleRef, Scope } from '#contract/protocol/scope.ts'
import { CHANGE_KINDS } from '#contract/runtime-api/vocabulary.ts'
import type { ChangeKind } from '#contract/runtime-api/vocabulary.ts'
import { restraintsOn } from '../../engine/gate/gate.ts'
import type { GateFacts, Restraint } from '../../engine/gate/gate.ts'
import { DomainError } from '../../engine/refusals.ts'
import type { PlatformProblem } from '../../engine/refusals.ts'
import type { Actor } from '../../model/actor.ts'
import type { Db } from '../../model/db.ts'
import { findRecall } from '../../store/catalog/versions.ts'
import { readGate } from '../../store/freezes.ts'
import { authorize, requireRecentSignIn } from '../authorize.ts'
import type { Answer, Input, ReadContext } from '../context.ts'

/** How a change is requested. */
export interface Way {
  /** The person overrides what would refuse it; `reason` says why. */
  override?: true | undefined
  reason?: string | null | undefined
  /** An item of a batch. If the batch overrides something, the person who created it signed in recently. */
  isItem?: true | undefined
  /** It carries out a change request whose approvals have been counted. */
  isApproved?: true | undefined
  /** It is that of a change request. Its secrets, which are flagged, were checked when they were given. */
  isStored?: true | undefined
}

/** How a write comes in, with what the person has entered. */
export const wayOf = (
  { isItem, isApproved, isStored }: Pick<Way, 'isItem' | 'isApproved' | 'isStored'>,
  { override, reason }: Pick<Way, 'override' | 'reason'>,
): Way => ({ override, reason, isItem, isApproved, isStored })

/** How the items of a batch come in: those who make or continue it are checked before. */
export const wayOfItem = (
  override: boolean,
  reason: string | null | undefined,
  context: Pick<Way, 'isApproved' | 'isStored'> = {},
): Way => wayOf({ ...context, isItem: true }, { override: override ? true : undefined, reason })

/** Reads what several evaluations need, once for all of them if they are made together. `of` tells what it is. */
export type Once = <Result>(of: readonly unknown[], read: () => Promise<Result>) => Promise<Result>

export const eachTime: Once = (_, read) => read()

export function onceForAll(): Once {
  const known = new Map<string, Promise<unknown>>()
  return <Result>(of: readonly unknown[], read: () => Promise<Result>) => {
    const key = JSON.stringify(of)
    const found = known.get(key) ?? read()
    known.set(key, found)
    // what is the same has the same type
    return found as Promise<Result>
  }
}

/** A change that the gate judges. */
export interface AdmittedChange {
  kind: Exclude<ChangeKind, 'BATCH'>
  /** A retry, an attempt now, or the end of the retries of an operation of this kind. A takeover always is one. */
  isRecovery?: true
  scope: Scope
  /** The installation that the change concerns. */
  protection?: GateFacts['protection']
  pin?: GateFacts['pin']
  /** Of an INSTALL or UPGRADE, or of the retry of one. */
  target?: { bundle: BundleRef; version: string }
}

/** The decision of the gate. Only `admit` creates it, and no operation can be created without it. */
export interface Admission {
  /** Why the change is refused; empty if it is admitted. */
  problems: PlatformProblem[]
  /** The person overrode a refusal. */
  overridden: boolean
}

/**
 * Decides whether a change is admitted. Every change passes here, whichever endpoint it comes through. Reads in the
 * transaction of the change.
 *
 * With `override`, refuses with REQUEST_INVALID without a reason, with PERMISSION_DENIED and with RECENT_SIGN_IN_REQUIRED; but only
 * if there is something to override.
 */
export async function admit(
  db: Db,
  actor: Actor,
  { kind, isRecovery, scope, protection = null, pin = null, target }: AdmittedChange,
  way: Way,
  once = eachTime,
): Promise<Admission> {
  const request = {
    kinds: [...restrainedKinds(kind), ...(way.isItem === true ? (['BATCH'] as const) : [])],
    isRecovery: isRecovery === true || kind === 'TAKEOVER',
    isApproved: way.isApproved === true,
    scope,
    ...(target !== undefined && { targetVersion: target.version }),
  }
  const restraints = restraintsOn(request, {
    ...(await once(['gate', scope.environmentKey], () => loadFacts(db, scope))),
    protection,
    pin,
    recall: target === undefined ? null : await once(['recall', target], () => loadRecall(db, target)),
  })
  const isFirm = restraints.some((restraint) => restraint.isFirm)
  if (restraints.length === 0) return { problems: [], overridden: false }
  if (way.override !== true || isFirm)
    return { problems: restraints.map(({ problem }) => problem), overridden: false }
  authorize(actor, 'change:override', scope)
  if (way.isItem !== true) requireRecentSignIn(actor)
  requireReasonToOverride(way)
  return { problems: [], overridden: true }
}

/** A takeover is a DETACH too. */
const restrainedKinds = (kind: AdmittedChange['kind']): ChangeKind[] =>
  kind === 'TAKEOVER' ? [kind, 'DETACH'] : [kind]

/** What the freezes say that refuse such a change at a moment, in milliseconds since 1970; null if none does. */
export async function frozenAt(
  db: Db,
  kind: AdmittedChange['kind'],
  scope: Scope,
  at: number,
): Promise<string | null> {
  const request = { kinds: restrainedKinds(kind), isRecovery: kind === 'TAKEOVER', isApproved: true, scope }
  const restraints = restraintsOn(request, { ...(await loadFacts(db, scope)), now: at })
  const frozen = restraints.find(({ problem }) => problem.errorCode === 'CHANGES_FROZEN')
  return frozen === undefined ? null : String(frozen.problem.parameters?.['text'] ?? '')
}

/** Refuses an override without a reason. */
export function requireReasonToOverride({ override, reason }: Way): void {
  if (override !== true || (reason ?? '') !== '') return
  const needed = platformMessage('overrideNeedsReason')
  throw new DomainError('REQUEST_INVALID', needed, {
    details: [{ path: 'body.reason', errorCode: 'REQUEST_INVALID', ...needed }],
  })
}

/** What refuses changes in a scope now, by kind. The scope need not exist. */
export async function readRestrictions(
  { deps }: ReadContext,
  { params: scope }: Input<'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/restrictions'>,
): Promise<Answer<'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/restrictions'>> {
  const facts = await loadFacts(deps.db, scope)
  const view =
    (kind: ChangeKind) =>
    ({ problem: { errorCode, message, parameters }, until, blocksRecovery }: Restraint) => ({
      kind,
      errorCode,
      message,
      parameters,
      until,
      blocksRecovery,
    })
  return {
    items: CHANGE_KINDS.flatMap((kind) =>
      restraintsOn({ kinds: [kind], isRecovery: false, isApproved: false, scope }, facts).map(view(kind)),
    ),
  }
}

async function loadRecall(
  db: Db,
  { bundle, version }: NonNullable<AdmittedChange['target']>,
): Promise<GateFacts['recall']> {
  const found = await findRecall(db, bundle, version)
  return found === undefined
    ? null
    : { by: { name: found.standing_by_name ?? '' }, message: found.standing_message ?? '' }
}

async function loadFacts(db: Db, { environmentKey }: Scope): Promise<GateFacts> {
  const { now, freezes, needsApproval } = await readGate(db, environmentKey)
  return {
    now: Date.parse(now),
    needsApproval,
    protection: null,
    pin: null,
    recall: null,
    freezes: freezes.map(({ name, settings }) => ({ name, ...settings })),
  }
}

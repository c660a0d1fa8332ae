import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { isPinnedTo } from '#contract/protocol/version-order.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { ChangeKind } from '#contract/runtime-api/vocabulary.ts'
import type { PlatformProblem } from '../refusals.ts'
import { frozenUntil } from './freeze-windows.ts'
import type { FreezeTimes } from './freeze-windows.ts'

// What decides whether a change is admitted at all, whatever it changes, for every way in: a request of a person or of a service
// account, an item of a batch, a retry. docs/runtime-api.md#what-refuses-changes

/** A change that somebody wants to make. */
export interface GateRequest {
  /** What it is; an item of a batch is a BATCH too. */
  kinds: readonly ChangeKind[]
  /** It gets a failed or waiting operation out of the way: a retry, an attempt now, the end of the retries, a takeover. */
  isRecovery: boolean
  /** It carries out a change request, whose approvals have been counted. */
  isApproved: boolean
  scope: Scope
  /** Of an INSTALL or UPGRADE; of a retry of one only if it is recalled. */
  targetVersion?: string
}

/** The part of a freeze that the gate reads. */
export interface GateFreeze extends FreezeTimes {
  name: string
  environments: readonly string[] | null
  scopes: readonly Scope[] | null
  blocks: readonly ChangeKind[]
  allowsRecovery: boolean
  message: string
}

/** What the gate knows, as read in the transaction of the change. */
export interface GateFacts {
  /** In milliseconds since 1970, by the clock of the database. */
  now: number
  freezes: readonly GateFreeze[]
  /** The kinds that need an approved change request in the environment. */
  needsApproval: readonly ChangeKind[]
  /** That the installation is protected from being detached; null if it is not, or if the change is of none. */
  protection: { by: { name: string }; reason: string } | null
  /** That the target version is recalled; null if it is not. */
  recall: { by: { name: string }; message: string } | null
  /** To which versions the installation can be upgraded; null if it is not pinned, or if the change is of none. */
  pin: { versions: string; by: { name: string }; reason: string } | null
}

/** Why a change is refused. */
export interface Restraint {
  problem: PlatformProblem
  /** When it ends by itself, RFC 3339; null if it does not. */
  until: string | null
  /** It also refuses to retry, stop and take over operations. */
  blocksRecovery: boolean
  /** Nobody can override it. */
  isFirm?: true
}

/**
 * Every reason to refuse a change; a person with `change:override` may set those aside that are not firm. Empty: it is admitted.
 */
export function restraintsOn(request: GateRequest, facts: GateFacts): Restraint[] {
  return [
    ...protectionFrom(request, facts),
    ...pinAgainst(request, facts),
    ...recallOf(request, facts),
    ...freezesOn(request, facts),
    ...approvalFor(request, facts),
  ]
}

/** A DETACH that began before is not stopped: only a new one is refused, and a takeover, which starts one. */
function protectionFrom({ kinds, isRecovery }: GateRequest, { protection }: GateFacts): Restraint[] {
  const isDetach = kinds.includes('TAKEOVER') || (kinds.includes('DETACH') && !isRecovery)
  if (protection === null || !isDetach) return []
  const message = platformMessage('installationProtected', {
    person: protection.by.name,
    text: protection.reason,
  })
  return [
    {
      problem: { errorCode: 'INSTALLATION_PROTECTED', ...message },
      until: null,
      blocksRecovery: true,
      isFirm: true,
    },
  ]
}

/** An upgrade that began before is not stopped. */
function pinAgainst({ kinds, isRecovery, targetVersion }: GateRequest, { pin }: GateFacts): Restraint[] {
  if (pin === null || isRecovery || targetVersion === undefined || !kinds.includes('UPGRADE')) return []
  if (isPinnedTo(pin.versions, targetVersion)) return []
  const message = platformMessage('versionPinned', {
    versions: pin.versions,
    person: pin.by.name,
    text: pin.reason,
  })
  return [
    {
      problem: { errorCode: 'VERSION_PINNED', ...message },
      until: null,
      blocksRecovery: false,
      isFirm: true,
    },
  ]
}

/** Nobody installs a recalled version again. A retry may be the only way to get an installation going again: it can be overridden. */
function recallOf({ isRecovery, targetVersion }: GateRequest, { recall }: GateFacts): Restraint[] {
  if (recall === null || targetVersion === undefined) return []
  const message = platformMessage('versionRecalled', {
    version: targetVersion,
    person: recall.by.name,
    text: recall.message,
  })
  return [
    {
      problem: { errorCode: 'VERSION_RECALLED', ...message },
      until: null,
      blocksRecovery: true,
      ...(!isRecovery && { isFirm: true as const }),
    },
  ]
}

/** A retry changes no plan, so it needs no approval. A takeover is a kind of its own beside the DETACH that it starts. */
function approvalFor({ kinds, isRecovery, isApproved, scope }: GateRequest, facts: GateFacts): Restraint[] {
  const isTakeover = kinds.includes('TAKEOVER')
  if (isApproved || (isRecovery && !isTakeover)) return []
  const kind = facts.needsApproval.find((one) => kinds.includes(one) && !(isTakeover && one === 'DETACH'))
  if (kind === undefined) return []
  const message = platformMessage('approvalRequired', { environment: scope.environmentKey, kind })
  return [{ problem: { errorCode: 'APPROVAL_REQUIRED', ...message }, until: null, blocksRecovery: false }]
}

function freezesOn(request: GateRequest, facts: GateFacts): Restraint[] {
  const freezes = facts.freezes.filter((freeze) => concerns(freeze, request))
  const frozen = frozenUntil(freezes, facts.now)
  if (frozen === null) return []
  const active = freezes.filter((freeze) => frozenUntil([freeze], facts.now) !== null)
  const text = cutOff([...new Set(active.map(({ message }) => message))].join(' '))
  const until = frozen.until === Infinity ? null : new Date(frozen.until).toISOString()
  return [
    {
      problem: {
        errorCode: 'CHANGES_FROZEN',
        ...(until === null
          ? platformMessage('changesFrozenForGood', { text })
          : platformMessage('changesFrozen', { until, text })),
      },
      until,
      blocksRecovery: active.some(({ allowsRecovery }) => !allowsRecovery),
    },
  ]
}

/** What several freezes say is one message, which is bounded. */
const cutOff = (text: string): string => (text.length <= TEXT_MAX ? text : `${text.slice(0, TEXT_MAX)}…`)
const TEXT_MAX = 400

/** Whether a freeze refuses such a change while it is active. */
function concerns(freeze: GateFreeze, { kinds, isRecovery, scope }: GateRequest): boolean {
  if (!covers(freeze, scope)) return false
  return kinds.some((kind) => freeze.blocks.includes(kind)) && !(isRecovery && freeze.allowsRecovery)
}

/** Whether a scope is among the places of a freeze. */
function covers(
  { environments, scopes }: Pick<GateFreeze, 'environments' | 'scopes'>,
  scope: Scope,
): boolean {
  if (environments?.includes(scope.environmentKey) === true) return true
  return (scopes ?? []).some(
    ({ environmentKey, applicationRuntimeId, workspaceId }) =>
      environmentKey === scope.environmentKey &&
      applicationRuntimeId === scope.applicationRuntimeId &&
      workspaceId === scope.workspaceId,
  )
}

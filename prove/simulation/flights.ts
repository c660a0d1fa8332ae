import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { DbOutcome } from './driver.ts'

/** What becomes of one call on its way to the plugin and back, by what it leaves open. */
export const CALL_FAULTS = {
  answered: ['none'],
  'lost before effect': ['request lost', 'hang', 'refused', 'reset before effect', 'status before effect'],
  'lost after effect': ['answer lost', 'reset after effect', 'status after effect'],
  'not now': ['retryable', 'UNKNOWN'],
  'for good': ['failure', 'FAILED'],
  nonsense: ['invalid'],
  'arrives again': ['duplicate', 'late'],
} as const
export type FaultClass = keyof typeof CALL_FAULTS
export type CallFault = (typeof CALL_FAULTS)[FaultClass][number]

/** What becomes of the worker's hold on the operation while it waits for the answer. */
export const OWNERSHIPS = ['held', 'paused', 'expired', 'taken', 'killed'] as const
export type Ownership = (typeof OWNERSHIPS)[number]

/** What becomes of the transaction that records the answer, by what it leaves. */
export const RECORDINGS = {
  kept: ['ok'],
  undone: ['serialization-failure', 'lost-before-commit', 'unknown-not-applied', 'time-out'],
  'kept unknown': ['unknown-applied'],
} as const satisfies Record<string, readonly DbOutcome[]>
export type Recording = keyof typeof RECORDINGS

/** Decided when a call is sent. */
export interface CallPlan {
  fault: CallFault
  /** What the plugin does when it does its work. */
  chosen: 'APPLIED' | 'VERIFIED' | 'NOT_APPLIED'
  /** How much later than usual the answer comes. */
  slowMs: number
  /** What is tried to happen to the worker; what really happens is seen afterwards. */
  ownership: Ownership
  /** What becomes of the transaction that records the answer. */
  database: DbOutcome
}

/** One call, and what became of it for the worker that made it. */
export interface Flight {
  plan: CallPlan
  actor: string
  pluginId: string
  operationId: string
  operationType: OperationType
  stage: Stage
  sentAt: number
  /** How often the worker had been paused when it sent. */
  pausesBefore: number
  /** When the worker heard of its end; null where it never did. */
  answeredAt: number | null
  /** When the worker tried to record that. */
  recordedAt: number | null
  /** What became of that. */
  database: DbOutcome | null
  wasPaused: boolean
  readonly isActorDead: boolean
}

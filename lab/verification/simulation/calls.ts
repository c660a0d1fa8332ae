import type { OperationType, Stage } from '#contract/protocol/vocabulary.ts'
import type { WorkOutcome } from '../protocol-plugin.ts'
import type { TransactionFault } from './driver.ts'

/** What happens to one call on its way to the plugin and back, grouped by what it leaves open. */
export const CALL_FAULTS = {
  answered: ['none'],
  'lost before effect': ['request lost', 'hang', 'refused', 'reset before effect', 'status before effect'],
  'lost after effect': ['answer lost', 'reset after effect', 'status after effect'],
  'not now': ['retryable', 'UNKNOWN'],
  permanent: ['failure', 'FAILED'],
  invalid: ['invalid'],
  'arrives again': ['duplicate', 'late'],
} as const
export type CallFaultGroup = keyof typeof CALL_FAULTS
export type CallFault = (typeof CALL_FAULTS)[CallFaultGroup][number]

/** What happens to the worker's lease on the operation while it waits for the response. */
export const LEASE_FAULTS = ['held', 'paused', 'expired', 'taken', 'killed'] as const
export type LeaseFault = (typeof LEASE_FAULTS)[number]

/** What happens to the transaction that records the response, grouped by the result. */
export const RECORDING_FAULTS = {
  kept: ['ok'],
  undone: ['serialization-failure', 'lost-before-commit', 'unknown-not-applied', 'time-out'],
  'kept unknown': ['unknown-applied'],
} as const satisfies Record<string, readonly TransactionFault[]>
export type RecordingFaultGroup = keyof typeof RECORDING_FAULTS

/** Decided when a call is sent. */
export interface CallPlan {
  fault: CallFault
  /** The outcome if the plugin executes the call. */
  outcome: WorkOutcome
  /** How much later than usual the response arrives. */
  delayMs: number
  /** What is attempted on the worker; the actual result is observed afterwards. */
  lease: LeaseFault
  /** What happens to the transaction that records the response. */
  recording: TransactionFault
}

/** One call, and what happened to it from the point of view of the worker that made it. */
export interface SimulatedCall {
  plan: CallPlan
  /** Name of the worker's process. */
  worker: string
  pluginId: string
  operationId: string
  operationType: OperationType
  stage: Stage
  sentAt: number
  /** How often the worker had been paused when it sent the call. */
  pausesBefore: number
  /** When the worker received the response, or an error; null if it never did. */
  answeredAt: number | null
  /** When the worker tried to record the response. */
  recordedAt: number | null
  /** What happened to that transaction. */
  recording: TransactionFault | null
  wasPaused: boolean
  readonly isWorkerKilled: boolean
}

import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { DomainError } from '../../engine/refusals.ts'

export function staleSnapshot(current: number): DomainError {
  return new DomainError('CONFIGURATION_SNAPSHOT_STALE', platformMessage('snapshotStale', { current }))
}

/** A larger number would not be exact in JSON. */
export function refuseLastSnapshot(current: number): void {
  const max = Number.MAX_SAFE_INTEGER
  if (current >= max) throw new DomainError('NUMBERS_USED_UP', platformMessage('snapshotUsedUp', { max }))
}

import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { DomainError } from '../../engine/domain-error.ts'

export function staleSnapshot(current: number): DomainError {
  return new DomainError('CONFIGURATION_SNAPSHOT_STALE', platformMessage('snapshotStale', { current }))
}

import { createHash } from 'node:crypto'
import type { ChainedRow } from '../../store/audit.ts'

/** The previous hash of the first entry. */
export const NO_HASH = Buffer.alloc(32)

/**
 * The expected hash of an entry, computed from its columns alone; empty if no valid entry has such columns. Implemented
 * independently of the database function that stores the hash, from docs/operating/audit.md, so that the two verify each
 * other.
 */
export function entryHash(entry: ChainedRow): Buffer {
  const origin = [
    entry.actor_issuer,
    entry.client_address,
    entry.error_code,
    entry.occurrence_count,
    entry.first_occurred_at,
    entry.last_occurred_at,
  ]
  // format 1 does not cover these, so an entry that has one was changed
  const isOfItsFormat = entry.format === 2 || (entry.format === 1 && origin.every((field) => field === null))
  if (!isOfItsFormat) return Buffer.alloc(0)
  const fields = [
    `bundle-console audit ${entry.format}`,
    entry.previous_hash.toString('hex'),
    String(entry.sequence),
    entry.at,
    entry.actor_id,
    entry.actor_name,
    entry.action,
    entry.subject,
    entry.environment_key,
    entry.application_runtime_id,
    entry.workspace_id,
    entry.bundle_install_id,
    entry.operation_id,
    entry.reason,
    entry.changes,
    entry.outcome,
    entry.request_id,
    ...(entry.format === 1 ? [] : origin),
  ]
  return createHash('sha256').update(fields.map(lengthAndText).join(''), 'utf8').digest()
}

function lengthAndText(field: string | null): string {
  return field === null ? '-,' : `${Buffer.byteLength(field, 'utf8')}:${field},`
}

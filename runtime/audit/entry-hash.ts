import { createHash } from 'node:crypto'
import type { ChainedRow } from '../store/audit/read-chain.ts'

/** What the first entry has as the hash before it. */
export const NO_HASH = Buffer.alloc(32)

/**
 * The hash that an entry should have, made from its columns alone. Written apart from the function of the database that
 * made the one it has, after docs/operating.md, so that the two check each other.
 */
export function entryHash(entry: ChainedRow): Buffer {
  const fields = [
    'bundle-console audit 1',
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
  ]
  return createHash('sha256').update(fields.map(lengthAndText).join(''), 'utf8').digest()
}

function lengthAndText(field: string | null): string {
  return field === null ? '-,' : `${Buffer.byteLength(field, 'utf8')}:${field},`
}

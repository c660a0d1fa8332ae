import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { hideProtectedProperty } from '#contract/protocol/hide-protected-property.ts'
import type { Person } from '#contract/runtime-api/common.ts'
import { RECEIPT_FORMAT, RECEIPT_VERSION } from '#contract/runtime-api/operations.ts'
import type { OperationDetail } from '#contract/runtime-api/operations.ts'
import { authorize } from '../authorize.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { readDetail } from './read.ts'

type Name = 'GET /operations/{operationId}/receipt'

/** The receipt of an operation, with all attempts. Refuses with NOT_FOUND or PERMISSION_DENIED. */
export async function readReceipt(context: ReadContext, { params }: Input<Name>): Promise<Answer<Name>> {
  const { actor, deps } = context
  const operation = await readDetail(context, params.operationId)
  authorize(actor, 'operation:export', operation.installation)
  return receiptOf(operation, { at: deps.clock.now(), by: actor })
}

/** The receipt with its digest, which `by` exports. */
export function receiptOf(operation: OperationDetail, { at, by }: { at: Date; by: Person }): Answer<Name> {
  // hidden before the digest is computed: the console's server would hide it later
  const content = hideProtectedProperty({
    format: RECEIPT_FORMAT,
    version: RECEIPT_VERSION,
    exportedAt: at.toISOString(),
    exportedBy: { id: by.id, name: by.name },
    operation,
  } as const)
  return { ...content, sha256: digestOf(content) }
}

function digestOf(content: object): string {
  const canonical = canonicalize(content)
  if (canonical === undefined) throw new TypeError('a receipt must be JSON')
  return createHash('sha256').update(canonical).digest('hex')
}

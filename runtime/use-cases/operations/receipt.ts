import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { hideProtectedProperty } from '#contract/protocol/hide-protected-property.ts'
import { RECEIPT_FORMAT, RECEIPT_VERSION } from '#contract/runtime-api/operations.ts'
import { authorize } from '../authorize.ts'
import type { Answer, Input, ReadContext } from '../context.ts'
import { readDetail } from './read.ts'

type Name = 'GET /operations/{operationId}/receipt'

/** The receipt of an operation, with all attempts. Refuses with NOT_FOUND or PERMISSION_DENIED. */
export async function readReceipt(context: ReadContext, { params }: Input<Name>): Promise<Answer<Name>> {
  const { actor, deps } = context
  const operation = await readDetail(context, params.operationId)
  authorize(actor, 'operation:export', operation.installation)
  // hidden before the digest is computed: the console's server would hide it later
  const content = hideProtectedProperty({
    format: RECEIPT_FORMAT,
    version: RECEIPT_VERSION,
    exportedAt: deps.clock.now().toISOString(),
    exportedBy: { id: actor.id, name: actor.name },
    operation,
  } as const)
  return { ...content, sha256: digestOf(content) }
}

function digestOf(content: object): string {
  const canonical = canonicalize(content)
  if (canonical === undefined) throw new TypeError('a receipt must be JSON')
  return createHash('sha256').update(canonical).digest('hex')
}

import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { operationParams, Person, Timestamp } from './common.ts'
import { Operation, OperationDetail } from './operations.ts'
import { Signature } from './platform-keys.ts'

export const RECEIPT_FORMAT = 'bundle-console/operation-receipt'
export const RECEIPT_VERSION = 1

/**
 * The story of one operation as a file: what its page shows, masked in the same way. `sha256` is the digest, in lower-case
 * hexadecimal, of the canonical form (RFC 8785) of everything else. What the platform keys sign is the digest of everything
 * but `signatures` and `sha256`.
 */
export const OperationReceipt = z.object({
  format: z.literal(RECEIPT_FORMAT),
  version: z.literal(RECEIPT_VERSION),
  exportedAt: Timestamp,
  exportedBy: Person,
  // receipts of earlier consoles have no call, no assignee, and do not say whether a retry can help
  operation: OperationDetail.extend({
    call: Operation.shape.call.default(null),
    assignee: Operation.shape.assignee.default(null),
    retryHelps: Operation.shape.retryHelps.default(null),
  }),
  /** By each platform key; absent from receipts of earlier versions. */
  signatures: z.array(Signature).max(10).optional(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
export type OperationReceipt = z.infer<typeof OperationReceipt>

export const receiptEndpoints = defineEndpoints({
  'GET /operations/{operationId}/receipt': {
    cost: 5,
    summary: 'One operation as a file with a digest, to be kept and opened without a server',
    access: { needs: 'operation:export', where: 'object' },
    params: operationParams,
    answer: OperationReceipt,
    codes: ['NOT_FOUND'],
  },
})

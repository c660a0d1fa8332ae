import * as z from 'zod'
import { OPERATION_TYPES } from '#contract/protocol/vocabulary.ts'
import { Person, Timestamp, Uuid } from './common.ts'
import { CLAIM_STATES } from './vocabulary.ts'

/** The operation that has claimed an installation: until it releases the claim, nothing else may change the installation. */
export const Claim = z.object({
  operationId: Uuid,
  operationType: z.enum(OPERATION_TYPES),
  state: z.enum(CLAIM_STATES),
  since: Timestamp,
  requestedBy: Person,
})
export type Claim = z.infer<typeof Claim>

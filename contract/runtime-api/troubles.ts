import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Timestamp } from './common.ts'
import { TROUBLES } from './vocabulary.ts'

/** What keeps the platform itself from working, so that operations wait and nothing can be saved. */
export const Trouble = z.object({
  kind: z.enum(TROUBLES),
  /** When the replica that answers noticed it; for NO_WORKER, when the last worker looked for work. */
  since: Timestamp,
})
export type Trouble = z.infer<typeof Trouble>

export const troubleEndpoints = defineEndpoints({
  'GET /troubles': {
    summary: 'What keeps the platform itself from working now; nothing while it works',
    access: { needs: 'read', where: 'list' },
    query: z.strictObject({}),
    answer: z.object({ items: z.array(Trouble) }),
    codes: [],
  },
})

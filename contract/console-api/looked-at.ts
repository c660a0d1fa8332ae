import * as z from 'zod'
import { defineEndpoints } from '#contract/endpoint/endpoint.ts'
import { Timestamp } from '#contract/runtime-api/common.ts'

/** When the caller last left the causes of failures, in any browser; null if never. What began since is new to them. */
export const LookedAt = z.object({ causesAt: Timestamp.nullable() })

/** What the caller has looked at. The BFF stores it; the runtime does not know it. */
export const lookedAtApi = defineEndpoints({
  'GET /looked-at': {
    summary: 'When the caller last looked at the causes of failures',
    access: { needs: 'session' },
    query: z.strictObject({}),
    answer: LookedAt,
    codes: [],
  },
  'PUT /looked-at': {
    summary: 'The caller has looked at the causes of failures until now',
    access: { needs: 'session' },
    ownState: true,
    answer: LookedAt,
    codes: [],
  },
})

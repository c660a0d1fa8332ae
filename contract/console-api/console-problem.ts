import * as z from 'zod'
import { Detail, MessageParameters } from '#contract/protocol/envelope.ts'

/** A failure as the browser receives it (RFC 9457, `application/problem+json`). */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  code: z.string(),
  message: z.string(),
  remedy: z.string(),
  /** Whether the same request may be sent again unchanged. */
  retryable: z.boolean(),
  errorPath: z.array(z.string()),
  requestId: z.string(),
  details: z.array(Detail).optional(),
  /** The reason of the message and what it names, so that it can be shown in another language. */
  parameters: MessageParameters.optional(),
})
export type Problem = z.infer<typeof Problem>

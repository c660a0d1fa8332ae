import type { NoAnswer } from '#contract/protocol/call-causes.ts'

/** The HTTP answer of a plugin, as far as judging needs it. */
export interface CallResponse {
  kind: 'response'
  status: number
  contentType: string | null
  body: Uint8Array
}

/** The result of a call: an answer, or the reason why there is none. */
export type CallResult = CallResponse | { kind: 'failed'; reason: NoAnswer }

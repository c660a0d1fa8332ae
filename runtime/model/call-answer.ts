/** Why a call brought no answer. */
export type NoAnswer =
  | 'timeout'
  | 'refused'
  | 'dns'
  | 'tls'
  | 'egress-denied'
  | 'reset'
  | 'redirect'
  | 'cut'
  | 'too-large'
  | 'aborted'

/** An HTTP answer of a plugin, as far as judging it needs. */
export interface CallResponse {
  kind: 'response'
  status: number
  contentType: string | null
  body: Uint8Array
}

/** What a call brought: an answer, or the reason why there is none. */
export type CallResult = CallResponse | { kind: 'failed'; reason: NoAnswer }

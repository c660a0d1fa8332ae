/** The reason why a call got no answer. */
export type NoAnswer =
  | 'timeout'
  | 'refused'
  | 'dns'
  | 'tls'
  | 'tls-untrusted'
  | 'tls-expired'
  | 'tls-wrong-name'
  | 'egress-denied'
  | 'reset'
  | 'redirect'
  | 'cut'
  | 'continue'
  | 'upgrade'
  | 'encoding'
  | 'too-large'
  | 'aborted'

/** The HTTP answer of a plugin, as far as judging needs it. */
export interface CallResponse {
  kind: 'response'
  status: number
  contentType: string | null
  body: Uint8Array
}

/** The result of a call: an answer, or the reason why there is none. */
export type CallResult = CallResponse | { kind: 'failed'; reason: NoAnswer }

// What clients did to one register, and when. The register is a version and the values that the saves left: a save names
// the version that it was based on, and is taken only on top of that one.

export type Values = Readonly<Record<string, string>>

export interface Register {
  version: number
  values: Values
}

export type Call =
  | { kind: 'read' }
  /** What it sets; every value is written once in a history, so that it tells which save it came from. */
  | { kind: 'save'; base: number; sets: Values }

export type Result =
  | { kind: 'read'; seen: Register }
  | { kind: 'saved'; version: number }
  /** Refused: somebody saved since. */
  | { kind: 'stale' }
  /** Refused: an operation of an earlier save still holds an owner of what it would set. */
  | { kind: 'claimed' }
  /** Nobody can say whether it happened, or will yet. */
  | { kind: 'unknown' }

export interface Entry {
  client: number
  call: Call
  result: Result
  /** When it was called, on any clock that all clients share. */
  called: number
  /** When its answer came; never, for an unknown one. */
  returned: number
}

export interface History {
  start: Register
  entries: readonly Entry[]
}

/** An entry in one line, as a violation shows it. */
export function tell({ client, call, result }: Entry): string {
  const what = call.kind === 'read' ? 'read' : `save on ${call.base}`
  const how =
    result.kind === 'read'
      ? `version ${result.seen.version}`
      : result.kind === 'saved'
        ? `version ${result.version}`
        : result.kind
  return `client ${client} ${what}: ${how}`
}

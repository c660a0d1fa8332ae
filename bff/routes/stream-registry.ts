export interface StreamLimits {
  /** Beyond it, a new stream replaces the oldest one of the same session. */
  perSession: number
  /** Across all sessions of a person. Beyond it, a new stream replaces the person's oldest one. */
  perPerson: number
  /** Across all people. Beyond it, a new stream is refused. */
  total: number
}

export const STREAM_LIMITS: StreamLimits = { perSession: 20, perPerson: 40, total: 2_000 }

export interface StreamOwner {
  personId: string
  sessionId: string
}

export interface StreamRegistry {
  /**
   * Admits a stream and returns its release function, or null if the total is reached. `replace` is called when
   * a newer stream takes its place; the stream must then end.
   */
  admit(owner: StreamOwner, replace: () => void): (() => void) | null
}

interface OpenStream {
  sessionId: string
  replace: () => void
}

/**
 * Counts the open event streams of this process. A person over the limit loses the oldest stream, not the newest:
 * the newest belongs to the tab in use, and the oldest may be a connection that broke unnoticed.
 */
export function createStreamRegistry(limits: StreamLimits): StreamRegistry {
  // the streams of each person, oldest first
  const people = new Map<string, Set<OpenStream>>()
  let total = 0

  const release = (personId: string, stream: OpenStream): void => {
    const streams = people.get(personId)
    if (streams?.delete(stream) !== true) return
    total--
    if (streams.size === 0) people.delete(personId)
  }

  return {
    admit({ personId, sessionId }, replace) {
      const ofPerson = [...(people.get(personId) ?? [])]
      const ofSession = ofPerson.filter((stream) => stream.sessionId === sessionId)
      const replaced =
        ofSession.length >= limits.perSession
          ? ofSession[0]
          : ofPerson.length >= limits.perPerson
            ? ofPerson[0]
            : undefined
      if (replaced === undefined && total >= limits.total) return null
      if (replaced !== undefined) {
        release(personId, replaced)
        replaced.replace()
      }
      const stream = { sessionId, replace }
      const streams = people.get(personId) ?? new Set()
      people.set(personId, streams.add(stream))
      total++
      return () => release(personId, stream)
    },
  }
}

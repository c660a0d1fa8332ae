// How a worker treats a plugin that seems to be in trouble.
//
// It begins closed: calls go through, as many as have room. Each call that brought no answer (time-out, refused or lost
// connection, a status or body that is no answer) counts; after five in a row it is open, and only one call at a time is
// let through. The first that is answered, whatever the answer says, closes it again. A plugin that answers is not in
// trouble, even where its answer is a failure, or that it does not know.
//
// It decides only how many calls are made at once. What an attempt means, how often it is repeated and when is not its
// business.

export interface Breaker {
  isOpen: boolean
  /** Calls without an answer since the last one that had one. */
  unanswered: number
}

/** What one call says about the plugin; `nothing` where the runtime itself broke it off or could not make it. */
export type Contact = 'answered' | 'unanswered' | 'nothing'

export const CLOSED: Breaker = { isOpen: false, unanswered: 0 }

const UNANSWERED_LIMIT = 5

export function afterContact(breaker: Breaker, contact: Contact): Breaker {
  switch (contact) {
    case 'answered':
      return CLOSED
    case 'unanswered': {
      const unanswered = breaker.unanswered + 1
      return { isOpen: unanswered >= UNANSWERED_LIMIT, unanswered }
    }
    case 'nothing':
      return breaker
  }
}

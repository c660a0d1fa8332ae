// The circuit breaker of a plugin.
//
// It starts closed: calls are limited only by the permits of the plugin. Each unanswered call counts (timeout, refused
// or lost connection, a status or body that cannot be used). After five in a row the breaker opens, and only one call at
// a time is sent. The first usable response closes it again, whatever it says: a plugin that answers FAILED or UNKNOWN
// is reachable.
//
// The breaker limits only how many calls run at once. It does not decide what an attempt means, or when and how often
// it is repeated.

export interface Breaker {
  isOpen: boolean
  /** Unanswered calls since the last answered one. */
  unanswered: number
}

/** What one call shows about the plugin; `nothing` if the runtime itself aborted it or could not make it. */
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

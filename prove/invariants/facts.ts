import type { Violation } from '../suite.ts'
import type { Evidence } from './evidence.ts'
import type { Change } from './journal.ts'
import type { State } from './state.ts'

/** Everything that is known of a run. */
export interface Facts extends Evidence {
  state: State
  /** Null where no journal was installed: then what only it can tell is not checked. */
  journal: readonly Change[] | null
}

/** One theme of promises: everything in the facts that breaks one of them. */
export type Check = (facts: Facts) => Violation[]

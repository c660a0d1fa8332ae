/**
 * Where a replica touches the world so that something stays: a transaction that wrote is committed, a single statement
 * writes, a plugin is called.
 */
export interface Boundary {
  kind: 'commit' | 'write' | 'call'
  /** Which of the replica's two pools: of its API, or of its worker. Calls are the worker's. */
  where: 'api' | 'worker'
}

/**
 * Which moment of a boundary: before it; after it, when its answer has arrived and nothing was done with it; or `lost`,
 * when it was sent and the answer is on its way. `inside`: amid the transaction, which has written already.
 */
export type Moment = 'before' | 'after' | 'lost' | 'inside'

/** What a replica does to itself, once it was told to begin to count. */
export interface Order {
  /** Counts only boundaries of this kind and place; all where absent. */
  kind?: Boundary['kind']
  where?: Boundary['where']
  moment: Moment
  /** 1 is the first. 0 never comes: then each boundary is told, and no more. */
  number: number
  /** Ended at once, or stopped where it stands. */
  signal: 'SIGKILL' | 'SIGSTOP'
}

export const ORDER_VARIABLE = 'PROVE_BOUNDARY'
export const COUNTS = 'boundaries are counted'
export const REACHED = 'the boundary is reached'
/** A boundary was passed: its kind and place follow. */
export const PASSED = 'boundary '

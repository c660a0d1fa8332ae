/**
 * Where a replica has a lasting effect: it commits a transaction that wrote, runs a single statement that writes, or calls
 * a plugin.
 */
export interface Boundary {
  kind: 'commit' | 'write' | 'call'
  /** Which of the replica's two pools: that of the API or that of the worker. Calls are the worker's. */
  where: 'api' | 'worker'
}

/**
 * The moment at a boundary: before it; after it, when its response has arrived but was not processed; `lost`, when it
 * was sent and the response is on its way; or `inside` the transaction, which has already written.
 */
export type Moment = 'before' | 'after' | 'lost' | 'inside'

/** A signal that a replica sends to itself, once it has been instructed to count boundaries. */
export interface Order {
  /** Counts only boundaries of this kind and place; all if absent. */
  kind?: Boundary['kind']
  where?: Boundary['where']
  moment: Moment
  /** 1 is the first. With 0 there is no signal: each boundary is only reported. */
  number: number
  signal: 'SIGKILL' | 'SIGSTOP'
}

export const ORDER_VARIABLE = 'BOUNDARY_ORDER'
// lines that the replica prints; the last is followed by the kind and place of a boundary
export const COUNTING = 'counting boundaries'
export const REACHED = 'boundary reached'
export const PASSED = 'boundary passed: '

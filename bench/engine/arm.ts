/**
 * One engine under measurement. All do the same work: two sequential POSTs to the plugin, where the first response is
 * durable before the second call is made, and both are kept.
 */
export interface Arm {
  /** Creates its tables, in its own database. */
  prepare(): Promise<void>
  /** Creates a backlog; absent if work starts as soon as it is created. */
  fill?(count: number): Promise<void>
  /** Starts to work; `onDone` is called once for each durably completed piece. */
  start(onDone: () => void): Promise<void>
  /** Creates one piece and resolves with its id once it is committed. */
  makeOne(): Promise<string>
  /** The statement that selects, as `id`, which of the pieces in $1, an array of ids, are completed. */
  completedOf: string
  /** How many pieces are completed with everything that they must keep, according to the database. */
  countStored(): Promise<number>
  stop(): Promise<void>
}

export interface ArmContext {
  databaseUrl: string
  pluginUrl: string
  /**
   * Only for our engine: the number of operations due at an unresponsive plugin besides the work. If set, even to 0,
   * the worker uses its normal settings instead of those for the comparison.
   */
  hanging?: number
}

export const CONCURRENCY = 20

/**
 * One engine under measurement. All do the same work: two sequential POSTs to the plugin, where the first response is
 * durable before the second call is made, and both are kept.
 */
export interface Arm {
  /** Creates its tables, in its own database. */
  prepare(): Promise<void>
  /** Creates a backlog; absent if work starts as soon as it is created. */
  fill?(count: number): Promise<void>
  /** Starts processing; `onDone` is called once for each durably completed job. */
  start(onDone: () => void): Promise<void>
  /** Creates one job and resolves with its ID once it is committed. */
  createOne(): Promise<string>
  /** A SQL statement: selects, as `id`, the completed jobs among those whose IDs are in the array $1. */
  completedOf: string
  /** The number of jobs in the database that are completed and have both responses. */
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

/**
 * One engine under measurement. All do the same work: two POSTs to the plugin, one after the other, where the first answer is
 * durable before the second call is made, and both are kept.
 */
export interface Arm {
  /** Makes its tables, in a database of its own. */
  prepare(): Promise<void>
  /** Makes work that waits; absent where work cannot wait, because making it begins it. */
  fill?(count: number): Promise<void>
  /** Begins to work; `onDone` is called once for each piece that is completed durably. */
  start(onDone: () => void): Promise<void>
  /** Makes one piece and answers its id as soon as that is committed. */
  makeOne(): Promise<string>
  /** The statement that answers which of the pieces in $1, an array of ids, are completed, as `id`. */
  completedOf: string
  /** How many pieces are completed with all that they are to keep, asked of the database. */
  countKept(): Promise<number>
  stop(): Promise<void>
}

export interface ArmContext {
  databaseUrl: string
  pluginUrl: string
  /**
   * Of ours only: how many operations are due at a plugin that never answers, beside the work. Where it is said, also as none,
   * the worker has its own settings and not those that it is compared with.
   */
  hanging?: number
}

export const CONCURRENCY = 20

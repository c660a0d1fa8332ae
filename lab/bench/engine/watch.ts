import pg from 'pg'

const EVERY_MS = 2

/** Detects when operations have succeeded, in the same way for all engines: polls the database on a separate connection. */
export class Watch {
  private readonly waiting = new Map<string, PromiseWithResolvers<number>>()
  private readonly pool: pg.Pool
  private readonly query: { name: string; text: string }
  private looking: Promise<void> | undefined

  /** `completedOf`: see Engine. */
  constructor(databaseUrl: string, completedOf: string) {
    // by index: scanning a growing table would slow down what is measured
    this.pool = new pg.Pool({ connectionString: databaseUrl, max: 1, options: '-c enable_seqscan=off' })
    this.query = { name: 'completed', text: completedOf }
  }

  /** Resolves with the time at which it was seen completed. */
  completed(id: string): Promise<number> {
    const completion = Promise.withResolvers<number>()
    this.waiting.set(id, completion)
    this.looking ??= this.look().finally(() => (this.looking = undefined))
    return completion.promise
  }

  async stop(): Promise<void> {
    await this.looking
    await this.pool.end()
  }

  private async look(): Promise<void> {
    try {
      while (this.waiting.size > 0) {
        const { rows } = await this.pool.query<{ id: string }>({
          ...this.query,
          values: [[...this.waiting.keys()]],
        })
        for (const { id } of rows) {
          this.waiting.get(id)?.resolve(performance.now())
          this.waiting.delete(id)
        }
        await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
      }
    } catch (error) {
      for (const { reject } of this.waiting.values()) reject(error)
      this.waiting.clear()
    }
  }
}

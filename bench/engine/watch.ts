import pg from 'pg'

const EVERY_MS = 2

/** Detects when jobs are completed, in the same way for all engines: polls the database on a separate connection. */
export class Watch {
  private readonly waiting = new Map<string, (at: number) => void>()
  private readonly pool: pg.Pool
  private readonly query: { name: string; text: string }
  private looking: Promise<void> | undefined

  /** `completedOf` selects, as `id`, the completed jobs among the IDs in $1. */
  constructor(databaseUrl: string, completedOf: string) {
    // by index: scanning a growing table would slow down the measured engine
    this.pool = new pg.Pool({ connectionString: databaseUrl, max: 1, options: '-c enable_seqscan=off' })
    this.query = { name: 'completed', text: completedOf }
  }

  /** Resolves with the time at which it was seen completed. */
  completed(id: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.waiting.set(id, resolve)
      this.looking ??= this.look().catch(reject)
    })
  }

  async stop(): Promise<void> {
    await this.looking
    await this.pool.end()
  }

  private async look(): Promise<void> {
    while (this.waiting.size > 0) {
      const { rows } = await this.pool.query<{ id: string }>({
        ...this.query,
        values: [[...this.waiting.keys()]],
      })
      for (const { id } of rows) {
        this.waiting.get(id)?.(performance.now())
        this.waiting.delete(id)
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    }
    this.looking = undefined
  }
}

import { sql } from 'kysely'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { Db } from '#runtime/world.ts'

/** Where an operation stands. */
export interface Standing {
  state: OperationState
  run: number
  /** Attempts that are recorded with their answer, in either stage. */
  answered: { BEFORE_RESOURCES: number; AFTER_RESOURCES: number }
}

interface Waiter {
  operationId: string
  until: (standing: Standing) => boolean
  resolve: (standing: Standing) => void
  reject: (error: Error) => void
  deadline: number
  what: string
}

const PAUSE_MS = 40

/** Waits for many operations with one question to the database now and then. */
export class Watch {
  private readonly waiters = new Set<Waiter>()
  private readonly db: Db
  private readonly patienceMs: number
  private looking: Promise<void> | null = null

  constructor(db: Db, patienceMs: number) {
    this.db = db
    this.patienceMs = patienceMs
  }

  until(operationId: string, what: string, until: Waiter['until']): Promise<Standing> {
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + this.patienceMs
      this.waiters.add({ operationId, until, resolve, reject, deadline, what })
      this.looking ??= this.look()
    })
  }

  /** FAILED or SUCCEEDED in this run. */
  ended(operationId: string, run: number): Promise<Standing> {
    return this.until(operationId, `run ${run} of the operation ends`, (standing) => {
      return standing.run >= run && (standing.state === 'SUCCEEDED' || standing.state === 'FAILED')
    })
  }

  private async look(): Promise<void> {
    while (this.waiters.size > 0) {
      const standings = await this.read().catch(() => new Map<string, Standing>())
      for (const waiter of this.waiters) {
        const standing = standings.get(waiter.operationId)
        const isLate = performance.now() > waiter.deadline
        if (standing !== undefined && waiter.until(standing)) waiter.resolve(standing)
        else if (isLate) waiter.reject(new Error(`it never came that ${waiter.what}: ${standing?.state}`))
        else continue
        this.waiters.delete(waiter)
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    this.looking = null
  }

  private async read(): Promise<Map<string, Standing>> {
    const ids = [...new Set([...this.waiters].map(({ operationId }) => operationId))]
    const { rows } = await sql<{
      operation_id: string
      state: OperationState
      run: number
      before: number
      after: number
    }>`
      select operation_id, state, run,
        (select count(*)::int from runtime.attempt
          where attempt.operation_id = operation.operation_id and finished_at is not null
            and stage = 'BEFORE_RESOURCES') as before,
        (select count(*)::int from runtime.attempt
          where attempt.operation_id = operation.operation_id and finished_at is not null
            and stage = 'AFTER_RESOURCES') as after
      from runtime.operation
      where operation_id = any(${ids}::uuid[])`.execute(this.db)
    return new Map(
      rows.map(({ operation_id, state, run, before, after }) => [
        operation_id,
        { state, run, answered: { BEFORE_RESOURCES: before, AFTER_RESOURCES: after } },
      ]),
    )
  }
}

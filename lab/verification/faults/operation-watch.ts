import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import type { Db } from '#runtime/model/db.ts'

export interface Progress {
  operation_id: string
  state: OperationState
  run: number
  /** Attempts that are recorded with their response, by stage. */
  answered: { BEFORE_RESOURCES: number; AFTER_RESOURCES: number }
  /** Attempts whose response came late, and is recorded. */
  late: number
}

interface Waiter {
  operationId: string
  isReached: (progress: Progress) => boolean
  resolve: (progress: Progress) => void
  reject: (error: Error) => void
  deadline: number
  what: string
}

const PAUSE_MS = 40

/** Waits for many operations with one query every few milliseconds. */
export class OperationWatch {
  private readonly waiters = new Set<Waiter>()
  private readonly db: Db
  private readonly patienceMs: number
  private polling: Promise<void> | null = null

  constructor(db: Db, patienceMs: number) {
    this.db = db
    this.patienceMs = patienceMs
  }

  until(operationId: string, what: string, isReached: Waiter['isReached']): Promise<Progress> {
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + this.patienceMs
      this.waiters.add({ operationId, isReached, resolve, reject, deadline, what })
      this.polling ??= this.poll()
    })
  }

  /** FAILED or SUCCEEDED in this run. */
  ended(operationId: string, run: number): Promise<Progress> {
    return this.until(
      operationId,
      `run ${run} of the operation ends`,
      (progress) => progress.run >= run && (progress.state === 'SUCCEEDED' || progress.state === 'FAILED'),
    )
  }

  private async poll(): Promise<void> {
    while (this.waiters.size > 0) {
      const found = await this.read().catch(() => [])
      for (const waiter of this.waiters) {
        const progress = found.find(({ operation_id }) => operation_id === waiter.operationId)
        if (progress !== undefined && waiter.isReached(progress)) waiter.resolve(progress)
        else if (performance.now() > waiter.deadline)
          waiter.reject(new Error(`timed out waiting until ${waiter.what}: ${progress?.state}`))
        else continue
        this.waiters.delete(waiter)
      }
      await sleep(PAUSE_MS)
    }
    this.polling = null
  }

  private async read(): Promise<Progress[]> {
    const ids = [...new Set([...this.waiters].map(({ operationId }) => operationId))]
    const { rows } = await sql<Progress>`
      select operation_id, state, run, json_build_object(
        'BEFORE_RESOURCES', count(*) filter (where finished_at is not null and stage = 'BEFORE_RESOURCES'),
        'AFTER_RESOURCES', count(*) filter (where finished_at is not null and stage = 'AFTER_RESOURCES')) as answered,
        count(*) filter (where late)::int as late
      from (select operation_id, state, operation.run, attempt.finished_at, stage, late
        from runtime.operation left join runtime.attempt using (operation_id)
        where operation_id = any(${ids}::uuid[])) attempts
      group by operation_id, state, run`.execute(this.db)
    return rows
  }
}

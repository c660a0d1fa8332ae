import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { OperationSort } from '#contract/runtime-api/vocabulary.ts'
import { instantAt } from '../instants.ts'

/** The row that a page starts after: the time that the list is sorted by, and its id. */
export interface After {
  microseconds: number
  operationId: string
  /** By the time of the end: whether the row has ended. Those that have not come last, by creation. */
  hasEnded: boolean
}

export interface Sort {
  by: 'created_at' | 'finished_at'
  direction: 'asc' | 'desc'
}

/** The order of each sort. */
export const SORTS: Record<OperationSort, Sort> = {
  '-createdAt': { by: 'created_at', direction: 'desc' },
  createdAt: { by: 'created_at', direction: 'asc' },
  '-finishedAt': { by: 'finished_at', direction: 'desc' },
  finishedAt: { by: 'finished_at', direction: 'asc' },
}

/** The order of a page, how many rows it reads, and the row that it starts after. */
export interface PageOrder extends Sort {
  rows: number
  after: After | undefined
  /** Whether any row can have ended. */
  mayHaveEnded: boolean
}

/** The condition that a row, by its time and id, follows the one that the page starts after. */
export function isAfter(
  after: After | undefined,
  { column, id, direction }: { column: string; id: string; direction: Sort['direction'] },
): RawBuilder<unknown> {
  if (after === undefined) return sql`true`
  return sql`(${sql.ref(column)}, ${sql.ref(id)}) ${direction === 'desc' ? sql`<` : sql`>`}
    (${instantAt(after.microseconds)}, ${after.operationId}::uuid)`
}

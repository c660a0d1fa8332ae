import { BATCH_TARGETS_MAX } from './batch-limits.ts'

export interface RowPage<Row> {
  items: Row[]
  nextCursor: string | null
}

/** Every row that matches, page by page, up to the number of targets that a batch can have. Throws when the signal is aborted. */
export async function loadAll<Row>(
  load: (page: { limit: number; cursor?: string }) => Promise<RowPage<Row>>,
  signal?: AbortSignal,
): Promise<{ rows: Row[]; hasMore: boolean }> {
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const page: RowPage<Row> = await load({ limit: 200, ...(cursor !== null && { cursor }) })
    signal?.throwIfAborted()
    rows.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null && rows.length < BATCH_TARGETS_MAX)
  return { rows: rows.slice(0, BATCH_TARGETS_MAX), hasMore: cursor !== null }
}

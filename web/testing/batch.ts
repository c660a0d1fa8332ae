import type { Batch } from '#contract/console-api/shapes.ts'

/** A batch of Olivia that runs and has counted no item yet; `given` replaces fields of it, and in `counts` single numbers. */
export const batchWith = ({
  counts,
  ...given
}: Partial<Omit<Batch, 'counts'>> & { counts?: Partial<Batch['counts']> }): Batch => ({
  batchId: '01920000-0000-7000-8000-0000000000aa',
  action: 'RETRY',
  title: 'Retry 2 operations',
  summary: null,
  input: { targetVersion: null, properties: [] },
  first: null,
  concurrency: 5,
  stopAfterFailures: null,
  reason: null,
  state: 'RUNNING',
  because: null,
  requestedBy: { id: 'olivia', name: 'Olivia' },
  createdAt: '2026-11-22T08:00:00.000Z',
  finishedAt: null,
  counts: { PENDING: 0, RUNNING: 0, SUCCEEDED: 0, FAILED: 0, REFUSED: 0, SKIPPED: 0, ...counts },
  ...given,
})

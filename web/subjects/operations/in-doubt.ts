import type { Operation } from '#contract/console-api/shapes.ts'

/** Whether it was in progress when the database went back in time, and is not over. */
export const isInDoubt = ({
  inDoubtSince = null,
  state,
}: Pick<Operation, 'inDoubtSince' | 'state'>): boolean =>
  inDoubtSince !== null && state !== 'SUCCEEDED' && state !== 'TAKEN_OVER'

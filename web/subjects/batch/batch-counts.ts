import { BATCH_ITEM_STATES } from '#contract/console-api/vocabulary.ts'
import type { Batch } from '#contract/console-api/shapes.ts'
import { inLowerCase, joinClauses } from '../../i18n/punctuation.ts'
import type { Translate } from '../../i18n/use-text.ts'

/** "3 succeeded, 1 failed": the states that any item is in, with their numbers. */
export function batchProgressText(counts: Batch['counts'], t: Translate): string {
  return joinClauses(
    t,
    BATCH_ITEM_STATES.filter((state) => counts[state] > 0).map(
      (state) => `${counts[state]} ${inLowerCase(t(`batches.item.${state}`))}`,
    ),
  )
}

export const totalOf = (counts: Batch['counts']): number =>
  BATCH_ITEM_STATES.reduce((sum, state) => sum + counts[state], 0)

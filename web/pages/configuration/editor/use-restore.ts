import { useText } from '../../../i18n/use-text.ts'
import { showToast } from '../../../ui/toast.ts'
import { editTo } from '../../../forms/property/property-value.ts'
import { countEdits, editAt } from '../draft/draft.ts'
import { useEditor } from './editor-context.ts'
import type { Arrival } from '../draft/arrival.ts'
import { LEFT } from '../../../subjects/arrival/left.ts'
import type { Restoring } from '../draft/restore.ts'

type Described = Pick<Arrival, 'title' | 'reason'>
const NOTHING: Described = { title: '', reason: '' }

/**
 * Puts restored or copied values into the draft and opens the review, which lists what is left out. If there is nothing to review, a
 * message says why.
 *
 * @param described The reason is offered in the review, unless the draft has other edits too.
 */
export function useRestore(): (restoring: Restoring, described?: Described) => void {
  const t = useText()
  const { store, reviewArrival } = useEditor()
  return ({ step, held, left, replaced }, { title, reason } = NOTHING) => {
    const before = store.current()
    const taken = step.flatMap(({ locator, property, next }) =>
      next === null ? [] : [{ locator, property, edit: next.edit, bound: null }],
    )
    const waiting = held.map(({ locator, property, value, bound }) => ({
      locator,
      property,
      edit: editTo(value),
      bound,
    }))
    const arrival: Arrival = {
      offers: [...taken, ...waiting].map((offer) => ({
        ...offer,
        own: editAt(before, offer.locator, offer.property) ?? null,
      })),
      left,
      replaced,
      reason: countEdits(before) === 0 ? reason : '',
      title,
    }
    store.apply(step)
    if (step.length > 0 || held.length > 0) return reviewArrival(arrival)
    const reasons = LEFT.flatMap((why) => {
      const n = left.filter((one) => one.why === why).length
      return n === 0 ? [] : [t(`configuration.restore.${why}`, { n })]
    })
    if (reasons.length > 0) showToast({ tone: 'info', text: reasons.join(' ') })
  }
}

import type { NextStep, Person } from '#contract/console-api/shapes.ts'
import { useText } from '../i18n/use-text.ts'
import { cx } from '../ui/class-names.ts'

/** Who acts next and what they do; in a list, a dash stands for nobody. */
export function NextStepText({ nextStep: { actor, action } }: { nextStep: NextStep }) {
  const t = useText()
  if (actor === 'NOBODY') return <span className="text-faint">–</span>
  const who = t(`vocabulary.actor.${actor}`)
  return (
    <span title={t(`vocabulary.next.${action}`)} className="text-muted">
      {actor === 'PLATFORM' ? who : <span className="font-medium text-ink">{who}</span>}
      {t('common.punctuation.colon')}
      {t(`vocabulary.next.${action}`)}
    </span>
  )
}

/** The same in two lines, for a column, with the name of the person who works on it. */
export function NextStepLines({
  nextStep: { actor, action },
  assignee = null,
}: {
  nextStep: NextStep
  assignee?: Person | null
}) {
  const t = useText()
  if (actor === 'NOBODY') {
    if (assignee !== null) return assignee.name
    return <span className="text-faint">–</span>
  }
  return (
    <>
      <span className={cx('block truncate', actor === 'PLATFORM' ? 'text-muted' : 'font-medium')}>
        {t(`vocabulary.actor.${actor}`)}
        {assignee !== null && ` · ${assignee.name}`}
        {t('common.punctuation.colon')}
      </span>
      <span title={t(`vocabulary.next.${action}`)} className="block truncate text-xs text-muted">
        {t(`vocabulary.next.${action}`)}
      </span>
    </>
  )
}

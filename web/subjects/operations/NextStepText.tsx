import type { NextStep, Person } from '#contract/console-api/shapes.ts'
import { useText } from '../../i18n/use-text.ts'
import { cx } from '../../ui/class-names.ts'
import { Nothing } from '../../ui/Nothing.tsx'

/**
 * Who acts next and what they do; in a list, a dash stands for nobody.
 *
 * @param what What they do, where more is known than the action says.
 */
export function NextStepText({
  nextStep: { actor, action },
  what,
}: {
  nextStep: NextStep
  what?: string | undefined
}) {
  const t = useText()
  const does = what ?? t(`vocabulary.next.${action}`)
  if (actor === 'NOBODY') return <Nothing />
  const named = `${t(`vocabulary.actor.${actor}`)}${t('common.punctuation.colon')}`
  return (
    <span title={does} className="text-muted">
      {actor === 'PLATFORM' ? named : <span className="font-medium whitespace-nowrap text-ink">{named}</span>}
      {does}
    </span>
  )
}

/** The same with its label, as a line of a notice. */
export function LabelledNextStep({ nextStep }: { nextStep: NextStep }) {
  const t = useText()
  return (
    <p className="mt-1">
      <span className="text-muted">
        {t('common.nextStep')}
        {t('common.punctuation.colon')}
      </span>
      <NextStepText nextStep={nextStep} />
    </p>
  )
}

/** In two lines, for a column: who, and what they do; or the step, and the person who works on it. */
export function NextStepLines({
  nextStep: { actor, action },
  assignee = null,
}: {
  nextStep: NextStep
  assignee?: Person | null
}) {
  const t = useText()
  const person = assignee !== null && t('common.assignedTo', { name: assignee.name })
  if (actor === 'NOBODY') return person || <Nothing />
  const what = t(`vocabulary.next.${action}`)
  const who = t(`vocabulary.actor.${actor}`)
  const step = person ? `${who}${t('common.punctuation.colon')}${what}` : who
  return (
    <>
      <span
        title={step}
        className={cx('block truncate', actor === 'PLATFORM' ? 'text-muted' : 'font-medium')}
      >
        {step}
      </span>
      <span title={person || what} className="block truncate text-xs text-muted">
        {person || what}
      </span>
    </>
  )
}

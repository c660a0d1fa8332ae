import type { NextStep } from '#contract/console-api/shapes.ts'
import { useText } from '../i18n/use-text.ts'

/** Who acts next and what they do; in a list, a dash stands for nobody. */
export function NextStepText({ nextStep: { actor, action } }: { nextStep: NextStep }) {
  const t = useText()
  if (actor === 'NOBODY') return <span className="text-faint">–</span>
  return (
    <span title={t(`vocabulary.next.${action}`)}>
      <span className={actor === 'PLATFORM' ? 'text-muted' : 'font-medium'}>
        {t(`vocabulary.actor.${actor}`)}
      </span>
      <span className="text-muted">
        {t('common.punctuation.colon')}
        {t(`vocabulary.next.${action}`)}
      </span>
    </span>
  )
}

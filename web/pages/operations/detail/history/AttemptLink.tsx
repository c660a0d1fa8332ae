import { Link } from '@tanstack/react-router'
import type { HistoryView } from '#contract/console-api/pages/operations.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { paths } from '../../../../addresses/paths.ts'
import { choiceOf, type Bar, type Gap } from '../calls/timeline.ts'

/** Shows an attempt below the history; of attempts that are not loaded, the first one, which loads them. */
export function AttemptLink({
  operationId,
  of,
  view,
}: {
  operationId: string
  of: Bar | Gap
  view: HistoryView
}) {
  const t = useText()
  const choice = 'attempt' in of ? choiceOf(of) : { stage: of.stage, plugin: of.pluginId, attempt: of.first }
  return (
    <Link
      {...paths.operation(operationId, { ...choice, view })}
      replace
      resetScroll={false}
      preload={false}
      className="rounded-sm font-medium text-accent underline decoration-accent/35 underline-offset-3 hover:decoration-accent"
    >
      {'attempt' in of
        ? t('operations.attempt.name', { attempt: of.attempt.attempt, run: of.attempt.run })
        : t('operations.detail.notLoaded', { first: of.first, last: of.last })}
    </Link>
  )
}

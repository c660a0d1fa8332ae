import { useQuery } from '@tanstack/react-query'
import { causeCall } from '#contract/console-api/pages/causes.ts'
import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../../../api/query.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { paths } from '../../../../addresses/paths.ts'
import { affectedText } from '../../../../subjects/causes/cause-texts.ts'
import { CauseMemory } from '../../../../subjects/causes/CauseMemory.tsx'
import { CauseStateBadge } from '../../../../subjects/causes/CauseStateBadge.tsx'
import { TextLink } from '../../../../ui/Link.tsx'

/** What is known of the cause of a failure: who works on it, which other operations have it, and what solved it before. */
export function OperationCause({ operation: { causeId } }: { operation: OperationDetail }) {
  return causeId == null ? null : <Shown causeId={causeId} />
}

function Shown({ causeId }: { causeId: string }) {
  const t = useText()
  const cause = useQuery(apiQuery('GET /causes/{causeId}', causeCall(causeId))).data
  if (cause === undefined) return null
  return (
    <section aria-label={t('operations.cause.title')} className="mt-1.5 space-y-1.5">
      <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <TextLink to={paths.cause(causeId)} className="font-medium">
          {t('operations.cause.open')}
        </TextLink>
        <CauseStateBadge cause={cause} />
        <span className="text-muted">{affectedText(cause, t)}</span>
      </p>
      <CauseMemory cause={cause} />
    </section>
  )
}

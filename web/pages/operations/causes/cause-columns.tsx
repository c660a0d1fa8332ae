import type { OperationsSearch } from '#contract/console-api/pages/operations.ts'
import type { Cause } from '#contract/console-api/shapes.ts'
import { causeTitle, operationsText, solutionText } from '../../../subjects/causes/cause-texts.ts'
import { CauseStateBadge } from '../../../subjects/causes/CauseStateBadge.tsx'
import { isNewSince } from '../../../subjects/causes/looked-at.ts'
import { RetryCause } from '../../../subjects/causes/RetryCause.tsx'
import { NextStepLines } from '../../../subjects/operations/NextStepText.tsx'
import { messageText } from '../../../i18n/message-text.ts'
import { useRichText, useText, type Translate } from '../../../i18n/use-text.ts'
import { Badge } from '../../../ui/Badge.tsx'
import { Time } from '../../../ui/Time.tsx'
import type { Column } from '../../../ui/table/Table.tsx'

/** One cause per row; `search` are the filters of the list. */
export function causeColumns(
  t: Translate,
  search: OperationsSearch,
  lookedAt: number | null,
): readonly Column<Cause>[] {
  const isPast = search.when === 'past'
  return [
    {
      id: 'cause',
      header: t('operations.causes.cause'),
      cell: (cause) => <Title cause={cause} isNew={!isPast && isNewSince(cause, lookedAt)} />,
    },
    {
      id: 'count',
      header: t('operations.causes.count'),
      width: 'clamp(11rem, 21cqi, 14.5rem)',
      card: 'line',
      cell: (cause) => <Count cause={cause} />,
    },
    {
      id: 'state',
      header: t('operations.cause.state'),
      width: '8.5rem',
      hideBelow: 'md',
      card: 'plain',
      cell: (cause) => <CauseStateBadge cause={cause} />,
    },
    ...(isPast
      ? [
          {
            id: 'solved',
            header: t('operations.cause.solvedBy'),
            width: '20rem',
            hideBelow: 'lg' as const,
            card: 'wide' as const,
            cell: ({ solvedBy }: Cause) =>
              solvedBy === null ? t('operations.cause.neverSolved') : solutionText(solvedBy, t),
          },
        ]
      : [
          {
            id: 'next',
            header: t('common.nextStep'),
            width: '12rem',
            hideBelow: 'lg' as const,
            card: 'line' as const,
            cell: ({ latest }: Cause) => latest && <NextStepLines nextStep={latest.nextStep} />,
          },
          {
            id: 'retry',
            header: t('operations.action.title'),
            headerHidden: true,
            width: 'clamp(8rem, 15cqi, 12.5rem)',
            align: 'end' as const,
            card: 'wide' as const,
            cell: (cause: Cause) => <RetryCause cause={cause} search={search} />,
          },
        ]),
  ]
}

function Title({ cause, isNew }: { cause: Cause; isNew: boolean }) {
  const t = useText()
  const failure = cause.latest?.failure ?? null
  return (
    <span title={failure === null ? undefined : messageText(failure)}>
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate">{causeTitle(cause, t)}</span>
        {isNew && <Badge tone="live">{t('operations.cause.newSince')}</Badge>}
      </span>
      <span className="mono block truncate text-xs font-normal text-muted">
        {cause.errorCode}
        {cause.pluginId !== null && ` · ${cause.pluginId}`}
      </span>
    </span>
  )
}

function Count({ cause }: { cause: Cause }) {
  const t = useText()
  const rich = useRichText()
  return (
    <>
      <span className="block truncate font-semibold">{operationsText(cause, t)}</span>
      <span className="block truncate text-xs text-muted">
        {t('operations.causes.scopes', { n: cause.scopes })}
        {t('common.punctuation.clause')}
        {rich('operations.causes.last', { when: <Time at={cause.lastAt} inRow /> })}
      </span>
    </>
  )
}

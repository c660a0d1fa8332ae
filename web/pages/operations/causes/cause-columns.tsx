import type { OperationsSearch } from '#contract/console-api/pages/operations.ts'
import type { FailureGroup } from '#contract/console-api/shapes.ts'
import { NextStepLines } from '../../../subjects/operations/NextStepText.tsx'
import { messageText } from '../../../i18n/message-text.ts'
import { joinList } from '../../../i18n/punctuation.ts'
import { useRichText, useText, type Translate } from '../../../i18n/use-text.ts'
import { Time } from '../../../ui/Time.tsx'
import type { Column } from '../../../ui/table/Table.tsx'
import { bundleNameOf } from '../../../subjects/operations/operation-texts.ts'
import { groupTitle } from './group-title.ts'
import { RetryGroup } from './RetryGroup.tsx'

/** One cause of failed operations per row; `search` are the filters of the list. */
export function causeColumns(t: Translate, search: OperationsSearch): readonly Column<FailureGroup>[] {
  return [
    {
      id: 'cause',
      header: t('operations.causes.cause'),
      cell: (group) => <Cause group={group} />,
    },
    {
      id: 'count',
      header: t('operations.causes.count'),
      width: '14.5rem',
      card: 'wide',
      cell: (group) => <Count group={group} />,
    },
    {
      id: 'call',
      header: t('operations.field.call'),
      width: '8.5rem',
      hideBelow: 'xl',
      card: 'wide',
      cell: ({ pluginId, stage }) => (
        <>
          <span className="mono block truncate">{pluginId}</span>
          <span className="block truncate text-xs text-muted">{t(`vocabulary.phase.${stage}`)}</span>
        </>
      ),
    },
    {
      id: 'next',
      header: t('common.nextStep'),
      width: '12rem',
      hideBelow: 'md',
      card: 'wide',
      cell: ({ latest }) => <NextStepLines nextStep={latest.nextStep} />,
    },
    {
      id: 'retry',
      header: t('operations.action.title'),
      headerHidden: true,
      width: '12.5rem',
      align: 'end',
      card: 'wide',
      cell: (group) => <RetryGroup group={group} search={search} />,
    },
  ]
}

function Cause({ group }: { group: FailureGroup }) {
  const t = useText()
  const { failure } = group.latest
  return (
    <span title={failure === null ? undefined : messageText(failure)}>
      <span className="block truncate">{groupTitle(group, t)}</span>
      <span className="mono block truncate text-xs font-normal text-muted">{group.errorCode}</span>
    </span>
  )
}

function Count({ group: { count, scopes, lastAt, latest, versions } }: { group: FailureGroup }) {
  const t = useText()
  const rich = useRichText()
  const { bundleId } = latest.installation.bundle
  return (
    <>
      <span title={`${bundleId} ${joinList(t, versions)}`} className="block truncate font-semibold">
        {t('operations.causes.operationsOf', { n: count, bundle: bundleNameOf(latest) })}
      </span>
      <span className="block truncate text-xs text-muted">
        {t('operations.causes.scopes', { n: scopes })}
        {t('common.punctuation.clause')}
        {rich('operations.causes.last', { when: <Time at={lastAt} inRow /> })}
      </span>
    </>
  )
}

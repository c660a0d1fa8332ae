import type { Operation } from '#contract/console-api/shapes.ts'
import type { OperationSort } from '#contract/console-api/vocabulary.ts'
import { versionsText, operationName } from '../../subjects/operations/operation-texts.ts'
import { NextStepLines } from '../../subjects/operations/NextStepText.tsx'
import { RunTime, RetriesIn } from '../../subjects/operations/OperationTimes.tsx'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import { messageText } from '../../i18n/message-text.ts'
import { joinClauses } from '../../i18n/punctuation.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { OperationBadge } from '../../ui/StateBadge.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import { Time } from '../../ui/Time.tsx'
import type { Column } from '../../ui/table/Table.tsx'
import { failureTitle } from '../../subjects/operations/describe-failure.ts'

/** One operation per row, in two lines, so that a narrow window has space for every column. */
export function operationColumns(t: Translate, sort: OperationSort): readonly Column<Operation>[] {
  const isByEnd = sort.endsWith('finishedAt')
  return [
    {
      id: 'operation',
      header: t('operations.field.operation'),
      // most scopes fit, and the failure has the rest
      width: 'max(13rem, 19.5cqi)',
      cell: (operation) => (
        <>
          <span className="block truncate" title={operation.installation.bundle.bundleId}>
            {operationName(operation, t)}{' '}
            <span className="mono font-normal text-muted">{versionsText(operation)}</span>
          </span>
          <ScopeText
            scope={operation.installation}
            className="block truncate text-xs font-normal text-muted"
          />
        </>
      ),
    },
    {
      id: 'state',
      header: t('operations.field.state'),
      width: '10rem',
      sorts: [
        { key: 'createdAt', name: t('operations.field.created'), first: 'descending' },
        { key: 'finishedAt', name: t('operations.field.ended'), first: 'descending' },
      ],
      card: 'line',
      cell: ({ state, createdAt, finishedAt }) => (
        <>
          <OperationBadge state={state} className="flex" />
          {isByEnd && finishedAt === null ? (
            <span className="block truncate text-xs text-muted">{t('operations.list.notEnded')}</span>
          ) : (
            <Time
              at={isByEnd && finishedAt !== null ? finishedAt : createdAt}
              inRow
              className="block truncate text-xs text-muted"
            />
          )}
        </>
      ),
    },
    {
      id: 'failure',
      header: t('operations.field.failure'),
      card: 'line',
      cell: (operation) => <Trouble operation={operation} />,
    },
    {
      id: 'call',
      header: t('operations.field.call'),
      width: '12rem',
      hideBelow: 'lg',
      card: 'line',
      cell: (operation) => <Call operation={operation} />,
    },
    {
      id: 'next',
      header: t('common.nextStep'),
      width: '12.25rem',
      hideBelow: 'md',
      card: 'line',
      cell: ({ nextStep, assignee }) => <NextStepLines nextStep={nextStep} assignee={assignee} />,
    },
    {
      id: 'requestedBy',
      header: t('operations.field.requestedBy'),
      width: '8rem',
      hideBelow: 'xl',
      card: 'hidden',
      cell: ({ requestedBy }) => requestedBy.name,
    },
    {
      id: 'took',
      header: t('operations.field.runTime'),
      width: '6rem',
      align: 'end',
      hideBelow: 'xl',
      card: 'hidden',
      cell: (operation) => <RunTime operation={operation} />,
    },
  ]
}

/** Why it has not succeeded: what failed and its code, or the time of its next retry. */
function Trouble({ operation }: { operation: Operation }) {
  const t = useText()
  const { failure, state, nextAttemptAt } = operation
  if (state === 'WAITING' && nextAttemptAt !== null) {
    return (
      <span className="text-doubt">
        <RetriesIn at={nextAttemptAt} />
      </span>
    )
  }
  if (failure === null) return <Nothing />
  return (
    <>
      <span
        title={messageText(failure)}
        className="block truncate @max-[40rem]/table:line-clamp-3 @max-[40rem]/table:whitespace-normal"
      >
        {failureTitle(failure, t)}
      </span>
      <span className="mono block truncate text-xs text-muted">{failure.errorCode}</span>
    </>
  )
}

/** The plugin that it is at or failed at, the stage, and the attempts of this run. */
function Call({ operation: { call, phase, state } }: { operation: Operation }) {
  const t = useText()
  if (state === 'SUCCEEDED') return <Nothing />
  const stage = t(`vocabulary.phase.${phase}`)
  if (call === null) return stage
  const attempts = call.attempts > 0 && t('operations.detail.attempts', { n: call.attempts })
  return (
    <>
      <span className="mono block truncate">{call.pluginId}</span>
      <span className="block truncate text-xs text-muted">{joinClauses(t, [stage, attempts])}</span>
    </>
  )
}

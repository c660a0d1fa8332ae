import { Fragment } from 'react'
import type { Operation } from '#contract/console-api/shapes.ts'
import { shownCode } from '#contract/protocol/messages.ts'
import type { OperationSort } from '#contract/console-api/vocabulary.ts'
import { versionsText, operationName, nextRetryOf } from '../../subjects/operations/operation-texts.ts'
import { PausedBadge } from '../../subjects/gate/Pauses.tsx'
import { InDoubtBadge } from '../../subjects/operations/InDoubt.tsx'
import { NextStepLines } from '../../subjects/operations/NextStepText.tsx'
import { RunTime, RetriesIn } from '../../subjects/operations/OperationTimes.tsx'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import { messageText } from '../../i18n/message-text.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Beats } from '../../ui/Beats.tsx'
import { operationLook } from '../../ui/states.ts'
import { OperationBadge } from '../../ui/StateBadge.tsx'
import { Time } from '../../ui/Time.tsx'
import type { Column } from '../../ui/table/Table.tsx'
import { failureTitle } from '../../subjects/operations/describe-failure.ts'

const isInTrouble = ({ state }: Operation): boolean => state !== 'SUCCEEDED'
const hasNext = ({ nextStep, assignee }: Operation): boolean =>
  nextStep.actor !== 'NOBODY' || assignee !== null

/** The columns that no operation of a page has anything in. */
export const emptyColumns = (operations: readonly Operation[]): string =>
  [operations.some(isInTrouble) ? '' : 'failure', operations.some(hasNext) ? '' : 'next'].join(' ').trim()

/**
 * One operation per row, in two lines, so that a narrow window has space for every column.
 *
 * @param empty The columns to leave out, as `emptyColumns` says.
 */
export function operationColumns(
  t: Translate,
  sort: OperationSort,
  empty: string,
): readonly Column<Operation>[] {
  const isByEnd = sort.endsWith('finishedAt')
  // the room of what is left out
  const hasRoom = empty !== ''
  const columns: Column<Operation>[] = [
    {
      id: 'operation',
      header: t('operations.field.operation'),
      // most scopes fit, and the failure has the rest
      ...(!empty.includes('failure') && { width: 'max(14.5rem, 24cqi)' }),
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
      width: 'clamp(12.25rem, 21cqi, 15rem)',
      sorts: [
        { key: 'createdAt', name: t('operations.field.created'), first: 'descending' },
        { key: 'finishedAt', name: t('operations.field.ended'), first: 'descending' },
      ],
      card: 'line',
      cell: ({ state, phase, createdAt, finishedAt, requestedBy }) => (
        <>
          <Beats phase={phase} tone={operationLook[state].tone} className="float-right mt-1 mr-1" />
          <OperationBadge state={state} className="flex" />
          <span className="block truncate text-xs text-muted">
            {isByEnd && finishedAt === null ? (
              t('operations.list.notEnded')
            ) : (
              <Time at={isByEnd && finishedAt !== null ? finishedAt : createdAt} inRow />
            )}
            {'\u00a0· '}
            {requestedBy.name}
          </span>
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
      id: 'next',
      header: t('common.nextStep'),
      width: '12.25rem',
      hideBelow: hasRoom ? 'md' : 'lg',
      card: 'line',
      // most operations have succeeded, and nobody has to do anything
      cell: (operation) =>
        hasNext(operation) && <NextStepLines nextStep={operation.nextStep} assignee={operation.assignee} />,
    },
    {
      id: 'took',
      header: t('operations.field.runTime'),
      width: '6rem',
      align: 'end',
      hideBelow: hasRoom ? 'md' : 'xl',
      card: 'hidden',
      cell: (operation) => <RunTime operation={operation} />,
    },
  ]
  return columns.filter(({ id }) => !empty.split(' ').includes(id))
}

/**
 * Speaks only of trouble: what failed or the time of the next retry, then the code, the plugin that it is at or failed at,
 * the stage, and the attempts of this run.
 */
function Trouble({ operation }: { operation: Operation }) {
  const t = useText()
  const { failure, state, call, phase } = operation
  const retryAt = nextRetryOf(operation)
  if (!isInTrouble(operation)) return null
  // the code and the plugin are names, the others are words
  const details = [
    { text: failure === null ? undefined : shownCode(failure), className: 'mono' },
    { text: call?.pluginId, className: 'mono' },
    { text: t(`vocabulary.phase.${phase}`) },
    {
      text:
        call !== null && call.attempts > 0
          ? t('operations.detail.attempts', { n: call.attempts })
          : undefined,
    },
  ].filter(({ text }) => text !== undefined)
  return (
    <>
      <InDoubtBadge operation={operation} className="flex" />
      <PausedBadge operation={operation} className="flex" />
      {state === 'WAITING' && retryAt !== null ? (
        <span className="block truncate text-doubt">
          <RetriesIn at={retryAt} />
        </span>
      ) : (
        failure !== null && (
          <span
            title={messageText(failure)}
            className="block truncate @max-[40rem]/table:line-clamp-3 @max-[40rem]/table:whitespace-normal"
          >
            {failureTitle(failure, t)}
          </span>
        )
      )}
      <span className="block truncate text-xs text-muted @max-[40rem]/table:whitespace-normal">
        {details.map(({ text, className }, index) => (
          <Fragment key={text}>
            {index > 0 && ' · '}
            {className === undefined ? text : <span className={className}>{text}</span>}
          </Fragment>
        ))}
      </span>
    </>
  )
}

import type { Operation } from '#contract/console-api/shapes.ts'
import { operationTypeKey } from '../../components/operation-type.ts'
import { NextStepText } from '../../components/NextStepText.tsx'
import { RunTime } from '../../components/RunTime.tsx'
import { ScopeText } from '../../components/ScopeText.tsx'
import type { Translate } from '../../i18n/use-text.ts'
import { paths } from '../../paths.ts'
import { PlainLink } from '../../ui/Link.tsx'
import { OperationBadge } from '../../ui/StateBadge.tsx'
import { Time } from '../../ui/Time.tsx'
import type { Column } from '../../ui/table/Table.tsx'
import { RetriesIn } from './RetriesIn.tsx'
import { versionsText } from './detail/versions.ts'
import { messageText } from '../../i18n/message-text.ts'

/** One operation per row. Its failure or next retry is beside its state. */
export function operationColumns(t: Translate): readonly Column<Operation>[] {
  return [
    {
      id: 'operation',
      header: t('operations.field.operation'),
      width: '15rem',
      cell: (operation) => (
        <>
          {t(operationTypeKey(operation))} {operation.installation.bundle.bundleId}{' '}
          <span className="mono font-normal text-muted">{versionsText(operation)}</span>
        </>
      ),
    },
    {
      id: 'state',
      header: t('operations.field.state'),
      width: '7.5rem',
      cell: ({ state }) => <OperationBadge state={state} />,
    },
    {
      id: 'failure',
      header: t('operations.field.failure'),
      card: 'wide',
      cell: (operation) => <Trouble operation={operation} />,
    },
    {
      id: 'next',
      header: t('common.nextStep'),
      width: '12.5rem',
      hideBelow: 'md',
      card: 'wide',
      cell: ({ nextStep }) => <NextStepText nextStep={nextStep} />,
    },
    {
      id: 'scope',
      header: t('operations.field.scope'),
      width: '12rem',
      hideBelow: 'lg',
      cell: ({ installation }) => (
        <PlainLink
          to={paths.installation(installation.bundleInstallId)}
          className="rounded-sm hover:underline"
        >
          <ScopeText scope={installation} />
        </PlainLink>
      ),
    },
    {
      id: 'requestedBy',
      header: t('operations.field.requestedBy'),
      width: '8.5rem',
      hideBelow: 'xl',
      card: 'hidden',
      cell: ({ requestedBy }) => requestedBy.name,
    },
    {
      id: 'when',
      header: t('operations.field.created'),
      width: '6rem',
      sortKey: 'createdAt',
      sortFirst: 'descending',
      cell: ({ createdAt }) => <Time at={createdAt} inRow />,
    },
    {
      id: 'took',
      header: t('operations.field.duration'),
      width: '6rem',
      align: 'end',
      hideBelow: 'xl',
      card: 'hidden',
      cell: (operation) => <RunTime operation={operation} />,
    },
  ]
}

/** Why it has not succeeded: its error code, or the time of its next retry. */
function Trouble({ operation }: { operation: Operation }) {
  const { failure, state, nextAttemptAt } = operation
  if (state === 'WAITING' && nextAttemptAt !== null) {
    return (
      <span className="text-doubt">
        <RetriesIn at={nextAttemptAt} />
      </span>
    )
  }
  if (failure === null) return <span className="text-faint">–</span>
  return (
    <span title={messageText(failure)} className="mono text-xs">
      {failure.errorCode}
    </span>
  )
}

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { recentOperationsCall } from '#contract/console-api/pages/operations.ts'
import type { Operation } from '#contract/console-api/shapes.ts'
import { operationTypeKey, bundleNameOf } from './operation-texts.ts'
import { apiQuery } from '../../api/query.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Mono } from '../../ui/Id.tsx'
import { LinkButton } from '../../ui/Link.tsx'
import { OperationBadge } from '../../ui/StateBadge.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Time } from '../../ui/Time.tsx'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { RunTime } from './OperationTimes.tsx'
import { ScopeText } from '../scopes/ScopeText.tsx'

/** The newest operations of an installation or plugin; the filtered list of operations has all of them. */
export function RecentOperations({ of }: { of: { bundleInstallId: string } | { pluginId: string } }) {
  const t = useText()
  const isOfOne = 'bundleInstallId' in of
  const columns = useMemo(
    () => operationColumns(t).filter(({ id }) => id !== 'installation' || !isOfOne),
    [t, isOfOne],
  )
  const query = useQuery({
    ...apiQuery('GET /operations', recentOperationsCall(of)),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <QueryTable
        label={t('recentOperations.label')}
        query={query}
        columns={columns}
        rowKey={rowKey}
        rowLink={rowLink}
        skeletonRows={4}
        empty={
          <EmptyState
            icon="operations"
            title={t('recentOperations.none.title')}
            message={t('recentOperations.none.message')}
          />
        }
      />
      {query.data?.nextCursor && (
        <div className="mt-3">
          <LinkButton to={paths.operations(of)} icon="operations">
            {t('recentOperations.all')}
          </LinkButton>
        </div>
      )}
    </>
  )
}

const rowKey = ({ operationId }: Operation) => operationId
const rowLink = ({ operationId }: Operation) => paths.operation(operationId)

const operationColumns = (t: Translate): Column<Operation>[] => [
  {
    id: 'type',
    header: t('recentOperations.type'),
    cell: (operation) => (
      <>
        {t(operationTypeKey(operation))}
        <span className="ml-1.5 font-normal text-faint tabular-nums">#{operation.executionSequence}</span>
      </>
    ),
    width: '9rem',
  },
  {
    id: 'installation',
    header: t('recentOperations.installation'),
    cell: (operation) => (
      <>
        <span className="mr-2" title={operation.installation.bundle.bundleId}>
          {bundleNameOf(operation)}
        </span>
        <ScopeText scope={operation.installation} />
      </>
    ),
    card: 'line',
  },
  {
    id: 'state',
    header: t('recentOperations.state'),
    cell: ({ state }) => <OperationBadge state={state} />,
    width: '8.5rem',
    card: 'plain',
  },
  {
    id: 'version',
    header: t('recentOperations.version'),
    cell: ({ currentVersion, targetVersion }) => (
      <Mono>
        {currentVersion === null || currentVersion === targetVersion
          ? targetVersion
          : `${currentVersion} → ${targetVersion}`}
      </Mono>
    ),
    width: '8rem',
    hideBelow: 'md',
    card: 'plain',
  },
  {
    id: 'by',
    header: t('recentOperations.by'),
    cell: ({ requestedBy }) => requestedBy.name,
    width: '9rem',
    hideBelow: 'lg',
    card: 'plain',
  },
  {
    id: 'at',
    header: t('recentOperations.at'),
    cell: ({ createdAt }) => <Time at={createdAt} inRow className="text-muted" />,
    width: '8rem',
    card: 'plain',
  },
  {
    id: 'took',
    header: t('recentOperations.runTime'),
    cell: (operation) => <RunTime operation={operation} />,
    align: 'end',
    width: '7rem',
    hideBelow: 'lg',
  },
]

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Operation } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../../api/query.ts'
import { QueryTable } from '../../../components/QueryTable.tsx'
import { useText, type Translate } from '../../../i18n/use-text.ts'
import { paths } from '../../../paths.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { LinkButton } from '../../../ui/Link.tsx'
import { Mono } from '../../../ui/Id.tsx'
import { OperationBadge } from '../../../ui/StateBadge.tsx'
import type { Column } from '../../../ui/table/column.ts'
import { Duration, Time } from '../../../ui/Time.tsx'

const SHOWN = 20

/** What was done to the installation, newest first; everything is in the list of operations, under its filters. */
export function History({ bundleInstallId }: { bundleInstallId: string }) {
  const t = useText()
  const columns = useMemo(() => historyColumns(t), [t])
  const query = useQuery({
    ...apiQuery('GET /operations', { query: { bundleInstallId, limit: SHOWN } }),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <QueryTable
        label={t('installations.tab.operations')}
        query={query}
        columns={columns}
        rowKey={rowKey}
        rowLink={rowLink}
        skeletonRows={4}
        empty={
          <EmptyState
            icon="operations"
            title={t('installations.operations.none')}
            message={t('installations.operations.none.message')}
          />
        }
      />
      {query.data?.nextCursor && (
        <div className="mt-3">
          <LinkButton to={paths.operations({ bundleInstallId })} icon="operations">
            {t('installations.operations.all')}
          </LinkButton>
        </div>
      )}
    </>
  )
}

const rowKey = ({ operationId }: Operation) => operationId
const rowLink = ({ operationId }: Operation) => paths.operation(operationId)

const historyColumns = (t: Translate): Column<Operation>[] => [
  {
    id: 'type',
    header: t('installations.operations.type'),
    cell: ({ operationType, executionSequence }) => (
      <>
        {t(`vocabulary.type.${operationType}`)}
        <span className="ml-1.5 font-normal text-faint tabular-nums">#{executionSequence}</span>
      </>
    ),
    width: '22%',
  },
  {
    id: 'state',
    header: t('installations.operations.state'),
    cell: ({ state }) => <OperationBadge state={state} />,
    width: '20%',
  },
  {
    id: 'version',
    header: t('installations.operations.version'),
    cell: ({ currentVersion, targetVersion }) => (
      <Mono>
        {currentVersion === null || currentVersion === targetVersion
          ? targetVersion
          : `${currentVersion} → ${targetVersion}`}
      </Mono>
    ),
    width: '20%',
  },
  {
    id: 'by',
    header: t('installations.operations.by'),
    cell: ({ requestedBy }) => requestedBy.name,
  },
  {
    id: 'at',
    header: t('installations.operations.at'),
    cell: ({ createdAt }) => <Time at={createdAt} inRow className="text-muted" />,
    width: '9rem',
  },
  {
    id: 'took',
    header: t('installations.operations.took'),
    cell: ({ startedAt, finishedAt }) =>
      startedAt === null ? null : finishedAt === null ? (
        <Duration since={startedAt} />
      ) : (
        <Duration ms={Date.parse(finishedAt) - Date.parse(startedAt)} />
      ),
    align: 'end',
    width: '7rem',
  },
]

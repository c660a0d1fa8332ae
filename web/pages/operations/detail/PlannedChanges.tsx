import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { ChangeList } from '../../../subjects/plan/ChangeList.tsx'
import { LocatorText, Mono } from '../../../ui/Id.tsx'
import { useTitles } from '../../../subjects/manifest/use-titles.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Count } from '../../../ui/Badge.tsx'
import { Section } from '../../../ui/Card.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { StepBadge } from '../../../ui/StateBadge.tsx'
import { Table, type Column } from '../../../ui/table/Table.tsx'
import { isApplied } from './calls/progress.ts'
import { versionsText } from '../../../subjects/operations/operation-texts.ts'

type Resource = OperationDetail['resources'][number]

/** How the frozen plan changes the resources of the installation. */
export function PlannedResources({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const columns: Column<Resource>[] = [
    {
      id: 'locator',
      header: t('operations.field.resource'),
      cell: (row) => <LocatorText locator={row.locator} />,
    },
    {
      id: 'action',
      header: t('operations.field.action'),
      width: '8rem',
      card: 'plain',
      cell: (row) => t(`vocabulary.action.${row.action}`),
    },
    {
      id: 'version',
      header: t('operations.field.versions'),
      width: '9rem',
      card: 'plain',
      cell: (row) => <Mono>{versionsText(row)}</Mono>,
    },
    {
      id: 'state',
      header: t('operations.field.state'),
      width: '8rem',
      card: 'plain',
      cell: (row) => <StepBadge state={row.state} look="plain" />,
    },
  ]
  return (
    <Section
      title={<WithCount title={t('operations.detail.resources')} count={operation.resources.length} />}
      flush
    >
      <Table
        label={t('operations.detail.resources')}
        columns={columns}
        rows={operation.resources}
        rowKey={(row) => row.locator}
        empty={<EmptyState title={t('operations.detail.resources.none')} />}
      />
    </Section>
  )
}

export function PlannedProperties({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const { changes, installation } = operation
  const titles = useTitles(changes, installation.bundle, operation)
  const title = t(isApplied(operation) ? 'operations.detail.changes' : 'operations.detail.changes.planned')
  return (
    <Section title={<WithCount title={title} count={changes.length} />} flush={changes.length > 0}>
      {changes.length === 0 ? (
        <p className="text-muted">{t('operations.detail.noChanges')}</p>
      ) : (
        <ChangeList changes={changes} label={t('operations.detail.changes.label')} titles={titles} />
      )}
    </Section>
  )
}

function WithCount({ title, count }: { title: string; count: number }) {
  return (
    <>
      {title}
      {count > 0 && <Count>{count}</Count>}
    </>
  )
}

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { myOperationsCall, newestBatchesCall } from '#contract/console-api/pages/overview.ts'
import type { Batch, Operation } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { TellWhenOver } from '../../subjects/alerts/TellWhenOver.tsx'
import { BatchCounts, BatchDuration, BatchProgress } from '../../subjects/batch/BatchProgress.tsx'
import { totalOf } from '../../subjects/batch/batch-counts.ts'
import { batchStateText, lookOfBatch } from '../../subjects/batch/batch-looks.ts'
import { batchTitle } from '../../subjects/batch/batch-title.ts'
import { nextRetryOf, operationName } from '../../subjects/operations/operation-texts.ts'
import { RetriesIn, RunTime } from '../../subjects/operations/OperationTimes.tsx'
import { ScopeLink } from '../../subjects/scopes/ScopeText.tsx'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { Card, Section } from '../../ui/Card.tsx'
import { TextLink } from '../../ui/Link.tsx'
import { operationLook } from '../../ui/states.ts'
import { Time } from '../../ui/Time.tsx'
import { useNow } from '../../ui/use-now.ts'
import { ItemLayout } from './items.tsx'
import { countScopes, mineOf, type MyItem } from './my-work.ts'

/** The person's own work: what runs, then what ended in the last day, with its result. */
export function Mine() {
  const personId = useShell().user?.id
  return personId === undefined ? null : <Items personId={personId} />
}

function Items({ personId }: { personId: string }) {
  const t = useText()
  const now = useNow(60_000)
  const operations = useQuery(apiQuery('GET /operations', myOperationsCall(personId)))
  const batches = useQuery(apiQuery('GET /batches', newestBatchesCall))
  const items = mineOf(operations.data?.items ?? [], batches.data?.items ?? [], { personId, now })
  if (items.length === 0) return null
  return (
    <Section
      title={t('overview.mine.title')}
      actions={<TextLink to={paths.operations({ requestedBy: personId })}>{t('overview.mine.all')}</TextLink>}
      flush
    >
      <Card padded={false}>
        <ul className="divide-y divide-line">
          {items.map((item) => (
            <MineLine key={keyOf(item)} item={item} personId={personId} />
          ))}
        </ul>
      </Card>
    </Section>
  )
}

const keyOf = (item: MyItem): string =>
  item.kind === 'batch' ? item.batch.batchId : (item.operations[0]?.operationId ?? '')

function MineLine({ item, personId }: { item: MyItem; personId: string }) {
  return item.kind === 'batch' ? (
    <BatchLine batch={item.batch} />
  ) : (
    <OperationsLine operations={item.operations} personId={personId} />
  )
}

function BatchLine({ batch }: { batch: Batch }) {
  const t = useText()
  const { batchId, counts, finishedAt } = batch
  const title = batchTitle(batch, t)
  return (
    <ItemLayout
      look={lookOfBatch(batch)}
      word={batchStateText(batch, t)}
      isWordShown
      title={title}
      to={paths.batch(batchId)}
      when={<End at={finishedAt} took={<BatchDuration batch={batch} />} />}
      tell={finishedAt === null && <TellWhenOver kind="batch" id={batchId} name={title} size="sm" />}
    >
      {finishedAt === null ? (
        <div className="mt-1 max-w-md">
          <BatchProgress counts={counts} />
        </div>
      ) : (
        counts.SUCCEEDED < totalOf(counts) && <BatchCounts counts={counts} />
      )}
    </ItemLayout>
  )
}

function OperationsLine({ operations, personId }: { operations: readonly Operation[]; personId: string }) {
  const t = useText()
  const [first] = operations
  if (first === undefined) return null
  const { operationId, state, installation, finishedAt, operationType } = first
  const retryAt = nextRetryOf(first)
  const name = operationName(first, t)
  const isOne = operations.length === 1
  const scopes = countScopes(operations)
  return (
    <ItemLayout
      look={operationLook[state]}
      word={t(operationLook[state].word)}
      isWordShown
      title={name}
      to={
        isOne
          ? paths.operation(operationId)
          : paths.operations({
              requestedBy: personId,
              operationType,
              state,
              q: installation.bundle.bundleId,
            })
      }
      place={
        scopes === 1 ? (
          <ScopeLink scope={installation} />
        ) : (
          <span className="text-muted">{t('operations.causes.scopes', { n: scopes })}</span>
        )
      }
      when={<End at={finishedAt} took={<RunTime operation={first} />} />}
      tell={finishedAt === null && <TellWhenOver kind="operation" id={operationId} name={name} size="sm" />}
    >
      {retryAt !== null && finishedAt === null && (
        <p className="text-doubt">
          <RetriesIn at={retryAt} />
        </p>
      )}
    </ItemLayout>
  )
}

/** When it ended, or how long it has been going on. */
function End({ at, took }: { at: string | null; took: ReactNode }) {
  return at === null ? took : <Time at={at} inRow />
}

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { myOperationsCall, newestBatchesCall } from '#contract/console-api/pages/overview.ts'
import type { Batch, Operation } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { TellWhenOver } from '../../subjects/alerts/TellWhenOver.tsx'
import { BatchDuration, BatchProgress } from '../../subjects/batch/BatchProgress.tsx'
import { batchStateText, lookOfBatch } from '../../subjects/batch/batch-looks.ts'
import { batchTitle } from '../../subjects/batch/batch-title.ts'
import { operationName } from '../../subjects/operations/operation-texts.ts'
import { RetriesIn, RunTime } from '../../subjects/operations/OperationTimes.tsx'
import { ScopeLink } from '../../subjects/scopes/ScopeText.tsx'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { Card, Section } from '../../ui/Card.tsx'
import { cx } from '../../ui/class-names.ts'
import { Icon, type IconName } from '../../ui/Icon.tsx'
import { PlainLink, TextLink, type LinkTarget } from '../../ui/Link.tsx'
import { operationLook } from '../../ui/states.ts'
import { Time } from '../../ui/Time.tsx'
import { toneText, type Tone } from '../../ui/tone.ts'
import { useNow } from '../../ui/use-now.ts'
import { countScopes, mineOf, type Mine as MyItem } from './my-work.ts'

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
    <Line
      look={lookOfBatch(batch)}
      word={batchStateText(batch, t)}
      title={title}
      to={paths.batch(batchId)}
      when={<End at={finishedAt} took={<BatchDuration batch={batch} />} />}
      tell={finishedAt === null && <TellWhenOver kind="batch" id={batchId} name={title} size="sm" />}
    >
      <div className="mt-1 max-w-md">
        <BatchProgress counts={counts} />
      </div>
    </Line>
  )
}

function OperationsLine({ operations, personId }: { operations: readonly Operation[]; personId: string }) {
  const t = useText()
  const [first] = operations
  if (first === undefined) return null
  const { operationId, state, installation, finishedAt, nextAttemptAt, operationType } = first
  const name = operationName(first, t)
  const isOne = operations.length === 1
  const scopes = countScopes(operations)
  return (
    <Line
      look={operationLook[state]}
      word={t(operationLook[state].word)}
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
      {nextAttemptAt !== null && finishedAt === null && (
        <p className="text-doubt">
          <RetriesIn at={nextAttemptAt} />
        </p>
      )}
    </Line>
  )
}

/** When it ended, or how long it has been going on. */
function End({ at, took }: { at: string | null; took: ReactNode }) {
  return at === null ? took : <Time at={at} inRow />
}

function Line({
  look: { icon, tone },
  word,
  title,
  to,
  place,
  when,
  tell,
  children,
}: {
  look: { icon: IconName; tone: Tone }
  /** Of its state. */
  word: string
  title: string
  to: LinkTarget
  place?: ReactNode
  when: ReactNode
  tell: ReactNode
  children: ReactNode
}) {
  return (
    <li className="relative flex items-start gap-3 px-4 py-2.5 hover:bg-hover">
      <span className={cx('mt-[5px]', toneText[tone])}>
        <Icon name={icon} size={14} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <p className="flex min-w-0 flex-wrap items-baseline gap-x-3">
            {/* the whole item is a link; its other links are above it */}
            <PlainLink
              to={to}
              className="inline-flex min-h-6 items-center rounded-sm font-semibold wrap-anywhere after:absolute after:inset-0"
            >
              {title}
            </PlainLink>
            {place !== undefined && (
              <span className="relative inline-flex min-h-6 items-center text-xs">{place}</span>
            )}
          </p>
          <p className="relative text-xs text-faint tabular-nums">
            <span className={toneText[tone]}>{word}</span> · {when}
          </p>
        </div>
        {children}
      </div>
      {tell !== false && <span className="relative -my-0.5">{tell}</span>}
    </li>
  )
}

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import {
  overviewCausesCall,
  lockedInstallationsCall,
  summaryCall,
  waitingOperationsCall,
} from '#contract/console-api/pages/overview.ts'
import { apiQuery } from '../../api/query.ts'
import { outdatedReason, useErrorView } from '../../i18n/describe-code.ts'
import { formatDuration } from '../../i18n/format.ts'
import { labelled } from '../../i18n/punctuation.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { isNewSince, useLookedAt } from '../../subjects/causes/looked-at.ts'
import { isInDoubt } from '../../subjects/operations/in-doubt.ts'
import { useTroubles } from '../../subjects/troubles/Troubles.tsx'
import { Count } from '../../ui/Badge.tsx'
import { Card, Section } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { TextLink, type LinkTarget } from '../../ui/Link.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useNow } from '../../ui/use-now.ts'
import { CauseItem, FailedItem, LockedItem, WaitingItem } from './items.tsx'

const LONG_MS = 10 * 60_000

/** Failed, uncertain, and long-running operations, in order of urgency. */
export function NeedsAttention() {
  const t = useText()
  const now = useNow(60_000)
  const lookedAt = useLookedAt()
  const failed = useQuery(apiQuery('GET /causes', overviewCausesCall))
  const waiting = useQuery(apiQuery('GET /operations', waitingOperationsCall))
  const claimed = useQuery(apiQuery('GET /installations', lockedInstallationsCall))
  const summary = useQuery(apiQuery('GET /summary', summaryCall))
  const troubles = useTroubles()
  const queries = [failed, waiting, claimed]
  const error = useErrorView(queries.find((query) => query.error !== null)?.error)
  if (!failed.data || !waiting.data || !claimed.data) {
    return (
      <Section title={t('overview.attention.title')} flush>
        {error ? (
          <ErrorState
            error={error}
            retrying={queries.some(({ isFetching }) => isFetching)}
            onRetry={() => void Promise.all([...queries, summary].map((query) => query.refetch()))}
          />
        ) : (
          <Skeleton className="h-48 rounded-lg" />
        )}
      </Section>
    )
  }
  const lockedLong = claimed.data.items.flatMap((row) =>
    row.claim && now - Date.parse(row.claim.since) > LONG_MS ? [{ row, claim: row.claim }] : [],
  )
  const claims = (state: string) =>
    summary.data?.claims.reduce((sum, claim) => (claim.state === state ? sum + claim.count : sum), 0)
  const inDoubt = waiting.data.items.filter(isInDoubt)
  const retrying = waiting.data.items.filter((operation) => !isInDoubt(operation))
  const allInDoubt = summary.data?.nextSteps.find(({ action }) => action === 'CHECK_IN_DOUBT')?.count
  const hidden = (failed.data.total ?? 0) - failed.data.causes.length
  const isCalm = failed.data.causes.length + waiting.data.items.length + lockedLong.length === 0
  // troubles of the platform are reported above on the page
  if (isCalm && troubles.length > 0) return null
  return (
    <Section title={t('overview.attention.title')} flush>
      {error && (
        <Notice tone="warn">{t('overview.attention.outdated', { reason: outdatedReason(error, t) })}</Notice>
      )}
      {isCalm ? (
        <Card>
          <EmptyState
            icon="done"
            title={t('overview.attention.nothing')}
            message={t('overview.attention.nothing.message')}
          />
        </Card>
      ) : (
        <div className="space-y-4">
          <Group
            title={t('overview.attention.failed')}
            hint={t('overview.attention.failed.hint')}
            shown={failed.data.causes.reduce((sum, { count }) => sum + count, 0)}
            count={claims('FAILED')}
            all={paths.operations({ view: 'causes' })}
          >
            {failed.data.causes.map((cause) => {
              const isNew = isNewSince(cause, lookedAt)
              return cause.count === 1 && cause.latest !== null ? (
                <FailedItem key={cause.causeId} operation={cause.latest} cause={cause} isNew={isNew} />
              ) : (
                <CauseItem key={cause.causeId} cause={cause} isNew={isNew} />
              )
            })}
            {hidden > 0 && (
              <li className="px-4 py-2">
                <TextLink to={paths.operations({ view: 'causes' })}>
                  {t('overview.attention.moreCauses', { n: hidden })}
                </TextLink>
              </li>
            )}
          </Group>
          <Group
            title={t('operations.inDoubt')}
            hint={t('overview.attention.inDoubt.hint')}
            shown={inDoubt.length}
            count={allInDoubt}
            all={paths.operations({ inDoubt: 'open' })}
          >
            {inDoubt.map((operation) => (
              <WaitingItem key={operation.operationId} operation={operation} />
            ))}
          </Group>
          <Group
            title={t('overview.attention.waiting')}
            hint={t('overview.attention.waiting.hint')}
            shown={retrying.length}
            // an operation in doubt waits too, but is counted above
            count={waiting.data.nextCursor === null ? retrying.length : claims('WAITING')}
            all={paths.operations({ state: 'WAITING' })}
          >
            {retrying.map((operation) => (
              <WaitingItem key={operation.operationId} operation={operation} />
            ))}
          </Group>
          <Group
            title={t('overview.attention.locked')}
            hint={t('overview.attention.locked.hint', { time: formatDuration(LONG_MS, t) })}
            shown={lockedLong.length}
            count={lockedLong.length}
            all={paths.installations({ claim: 'PENDING,RUNNING', sort: 'updatedAt' })}
          >
            {lockedLong.map(({ row, claim }) => (
              <LockedItem key={claim.operationId} row={row} claim={claim} />
            ))}
          </Group>
        </div>
      )}
    </Section>
  )
}

function Group({
  title,
  hint,
  shown,
  count = shown,
  all,
  children,
}: {
  title: string
  hint: string
  shown: number
  /** The total, which may be more than are shown. */
  count: number | undefined
  all: LinkTarget
  children: ReactNode
}) {
  const t = useText()
  if (shown === 0) return null
  return (
    <Card padded={false}>
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-line bg-sunken px-4 py-2 first:rounded-t-lg">
        <h3 className="flex items-center gap-2 font-semibold">
          {title}
          <Count>{Math.max(shown, count)}</Count>
        </h3>
        <p className="min-w-48 flex-1 text-xs text-muted max-sm:basis-full">{hint}</p>
        {count > shown && (
          <TextLink to={all} className="text-xs" aria-label={labelled(t, t('overview.attention.all'), title)}>
            {t('overview.attention.all')}
          </TextLink>
        )}
      </div>
      <ul className="divide-y divide-line">{children}</ul>
    </Card>
  )
}

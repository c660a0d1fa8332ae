import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { outdatedBundlesCall, recentChangesCall, summaryCall } from '#contract/console-api/pages/overview.ts'
import type { InstalledVersions, Operation } from '#contract/console-api/shapes.ts'
import { NEXT_ACTORS } from '#contract/console-api/vocabulary.ts'
import { apiQuery } from '../../api/query.ts'
import { useErrorView } from '../../i18n/describe-code.ts'
import { operationName } from '../../subjects/operations/operation-texts.ts'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import { formatNumber } from '../../i18n/format.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { Card, Section } from '../../ui/Card.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PlainLink, TextLink, type LinkTarget } from '../../ui/Link.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { INSTALLATION_STATES, installationLook, nextActorLook, type Appearance } from '../../ui/states.ts'
import { Time } from '../../ui/Time.tsx'
import { toneText } from '../../ui/tone.ts'

/** Who has to act, how many installations there are, what is outdated, and what changed last; all link to their lists. */
export function OverviewSummary() {
  return (
    <div className="grid min-w-0 content-start gap-x-8 gap-y-6 sm:grid-cols-2 xl:grid-cols-1">
      {/* in two columns, the short ones share a row */}
      <WhoActsNext />
      <Installations />
      <OutdatedBundles />
      <RecentChanges />
    </div>
  )
}

function WhoActsNext() {
  const t = useText()
  const query = useQuery(apiQuery('GET /summary', summaryCall))
  const actors = NEXT_ACTORS.filter((actor) => actor !== 'NOBODY')
    .map((actor) => ({
      actor,
      count: (query.data?.nextSteps ?? [])
        .filter((step) => step.actor === actor)
        .reduce((sum, { count }) => sum + count, 0),
    }))
    .filter(({ count }) => count > 0)
  if (query.isSuccess && actors.length === 0) return null
  return (
    <Panel title={t('overview.nextSteps.title')} query={query}>
      {actors.map(({ actor, count }) => (
        <CountLine
          key={actor}
          look={nextActorLook[actor]}
          count={count}
          to={paths.operations({ nextActor: actor })}
        />
      ))}
    </Panel>
  )
}

function OutdatedBundles() {
  const t = useText()
  const query = useQuery(apiQuery('GET /installed-versions', outdatedBundlesCall))
  if (query.data?.items.length === 0) return null
  return (
    <Panel
      title={t('overview.outdated.title')}
      query={query}
      all={{ to: paths.versions({ upgrade: 'available' }), label: t('overview.outdated.all') }}
    >
      {query.data?.items.map((item) => (
        <OutdatedBundle key={`${item.bundle.environmentKey}/${item.bundle.bundleId}`} item={item} />
      ))}
    </Panel>
  )
}

function OutdatedBundle({
  item: { bundle, title, newest, outdated, installations },
}: {
  item: InstalledVersions
}) {
  const t = useText()
  const { environmentKey: bundleEnvironmentKey, bundleId } = bundle
  return (
    <Line to={paths.installations({ bundleEnvironmentKey, bundleId, upgrade: 'available' })}>
      <span className="flex items-baseline justify-between gap-3">
        <span className="min-w-0 truncate font-medium">{title}</span>
        <span className="mono shrink-0 text-xs text-faint">{newest.version}</span>
      </span>
      <span className="text-xs text-muted">
        {t('overview.outdated.count', { n: outdated, of: installations })}
      </span>
    </Line>
  )
}

function RecentChanges() {
  const t = useText()
  const query = useQuery(apiQuery('GET /operations', recentChangesCall))
  if (query.data?.items.length === 0) return null
  const items = query.data?.items ?? []
  const oldestRead = items.at(-1)
  return (
    <Panel
      title={t('overview.recent.title')}
      query={query}
      all={{ to: paths.operations({ state: 'SUCCEEDED' }), label: t('overview.recent.all') }}
    >
      {changesOf(items)
        .slice(0, MAX_CHANGES)
        .map((operations) => (
          <RecentChange
            key={operations[0]?.operationId}
            operations={operations}
            // older ones of the same change may follow what was read
            mayHaveMore={
              query.data?.nextCursor !== null && oldestRead !== undefined && isNear(operations, oldestRead)
            }
          />
        ))}
    </Panel>
  )
}

const MAX_CHANGES = 5

const NEAR_MS = 10 * 60_000

/** Whether an older operation was created so soon before these that it may belong to them. */
const isNear = (operations: readonly Operation[], older: Operation): boolean => {
  const oldest = operations.at(-1)
  return oldest !== undefined && Date.parse(oldest.createdAt) - Date.parse(older.createdAt) <= NEAR_MS
}

const kindOf = ({ operationType, installation: { bundle }, targetVersion, requestedBy }: Operation): string =>
  [operationType, bundle.environmentKey, bundle.bundleId, targetVersion, requestedBy.id].join(' ')

/** What one person did to one bundle at one time, such as by a batch, is one change. Both lists begin with the newest. */
function changesOf(operations: readonly Operation[]): (readonly Operation[])[] {
  const changes: Operation[][] = []
  const last = new Map<string, Operation[]>()
  for (const operation of operations) {
    const kind = kindOf(operation)
    const change = last.get(kind)
    if (change !== undefined && isNear(change, operation)) change.push(operation)
    else {
      const another = [operation]
      last.set(kind, another)
      changes.push(another)
    }
  }
  return changes
}

function RecentChange({
  operations,
  mayHaveMore,
}: {
  operations: readonly Operation[]
  mayHaveMore: boolean
}) {
  const t = useText()
  const [operation] = operations
  const oldest = operations.at(-1)
  if (operation === undefined || oldest === undefined) return null
  const { operationId, operationType, installation, requestedBy, finishedAt, createdAt } = operation
  const { environmentKey: bundleEnvironmentKey, bundleId } = installation.bundle
  const isOne = operations.length === 1
  const listed = {
    operationType,
    bundleEnvironmentKey,
    bundleId,
    requestedBy: requestedBy.id,
    ...(!mayHaveMore && { since: oldest.createdAt }),
    // the end is exclusive
    until: new Date(Date.parse(createdAt) + 1).toISOString(),
  }
  return (
    <Line to={isOne ? paths.operation(operationId) : paths.operations({ state: 'SUCCEEDED', ...listed })}>
      <span className="flex items-baseline justify-between gap-3">
        <span className="min-w-0 truncate font-medium">{operationName(operation, t)}</span>
        <span className="shrink-0 text-xs text-faint">
          <Time at={finishedAt ?? createdAt} inRow />
        </span>
      </span>
      <span className="block text-xs wrap-anywhere text-muted">
        {isOne ? (
          <ScopeText scope={installation} />
        ) : (
          t(mayHaveMore ? 'overview.recent.more' : 'operations.cause.members.count', { n: operations.length })
        )}
        {'\u00a0· '}
        {requestedBy.name}
      </span>
    </Line>
  )
}

function Installations() {
  const t = useText()
  const query = useQuery(apiQuery('GET /summary', summaryCall))
  return (
    <Panel title={t('overview.installations.title')} query={query}>
      {INSTALLATION_STATES.map((state) => (
        <CountLine
          key={state}
          look={installationLook[state]}
          count={query.data?.installations[state] ?? 0}
          to={paths.installations({ state })}
        />
      ))}
    </Panel>
  )
}

/** A titled list, once its query has data. */
function Panel({
  title,
  query,
  all,
  children,
}: {
  title: string
  query: UseQueryResult
  /** The whole list. */
  all?: { to: LinkTarget; label: string }
  children: ReactNode
}) {
  const error = useErrorView(query.error)
  return (
    <Section title={title} actions={all && <TextLink to={all.to}>{all.label}</TextLink>} flush>
      {query.data !== undefined ? (
        <Card padded={false} className="p-1.5">
          <ul>{children}</ul>
        </Card>
      ) : error ? (
        <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
      ) : (
        <Skeleton className="h-32 rounded-lg" />
      )}
    </Section>
  )
}

function CountLine({
  look,
  count,
  to,
}: {
  look: Pick<Appearance, 'icon' | 'tone' | 'word'>
  count: number
  to: LinkTarget
}) {
  const t = useText()
  return (
    <Line to={to}>
      <span className="flex items-center gap-2">
        <Icon name={look.icon} size={14} className={toneText[look.tone]} />
        <span className="flex-1">{t(look.word)}</span>
        <span className="font-semibold tabular-nums">{formatNumber(count)}</span>
      </span>
    </Line>
  )
}

function Line({ to, children }: { to: LinkTarget; children: ReactNode }) {
  return (
    <li>
      <PlainLink to={to} className="block rounded-md px-2.5 py-1.5 hover:bg-hover">
        {children}
      </PlainLink>
    </li>
  )
}

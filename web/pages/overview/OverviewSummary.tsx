import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { summaryCall } from '#contract/console-api/pages/overview.ts'
import type { Summary } from '#contract/console-api/shapes.ts'
import { NEXT_ACTORS, type NextActor } from '#contract/console-api/vocabulary.ts'
import { apiQuery } from '../../api/query.ts'
import { useErrorView } from '../../components/describe-code.ts'
import { formatNumber } from '../../i18n/format.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../paths.ts'
import { Card, Section } from '../../ui/Card.tsx'
import { cx } from '../../ui/class-names.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Icon } from '../../ui/icons/Icon.tsx'
import { PlainLink, type LinkTarget } from '../../ui/Link.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import {
  CLAIM_STATES,
  INSTALLATION_STATES,
  installationLook,
  nextActorLook,
  OPERATION_STATES,
  operationLook,
  type Appearance,
} from '../../ui/states.ts'
import { toneText } from '../../ui/tone.ts'
import { useNow } from '../../ui/use-now.ts'

const DAY_MS = 24 * 3_600_000

/** The number of installations, locks and operations by state; each number links to its list. */
export function OverviewSummary() {
  const t = useText()
  const { data, error, refetch, isFetching } = useQuery(apiQuery('GET /summary', summaryCall))
  const view = useErrorView(error)
  return (
    <Section title={t('overview.counts.title')} flush>
      {data ? (
        <Card padded={false} className="divide-y divide-line">
          <Lists summary={data} />
        </Card>
      ) : view ? (
        <ErrorState error={view} retrying={isFetching} onRetry={() => void refetch()} />
      ) : (
        <Skeleton className="h-96 rounded-lg" />
      )}
    </Section>
  )
}

function Lists({ summary }: { summary: Summary }) {
  const t = useText()
  const since = new Date(useNow(60_000) - DAY_MS).toISOString()
  const claims = (state: string) =>
    summary.claims.reduce((sum, claim) => (claim.state === state ? sum + claim.count : sum), 0)
  const waitingFor = (actor: NextActor) =>
    summary.nextSteps.reduce((sum, step) => (step.actor === actor ? sum + step.count : sum), 0)
  return (
    <>
      <List title={t('overview.counts.locks')}>
        {CLAIM_STATES.toReversed().map((state) => (
          <Line
            key={state}
            look={operationLook[state]}
            count={claims(state)}
            to={paths.installations({ claim: state })}
          />
        ))}
      </List>
      <List title={t('overview.counts.nextSteps')}>
        {NEXT_ACTORS.filter((actor) => actor !== 'NOBODY').map((actor) => (
          <Line
            key={actor}
            look={nextActorLook[actor]}
            count={waitingFor(actor)}
            to={paths.operations({ nextActor: actor })}
          />
        ))}
      </List>
      <List title={t('overview.counts.operations')}>
        {OPERATION_STATES.toReversed().map((state) => (
          <Line
            key={state}
            look={operationLook[state]}
            count={summary.operations[state]}
            to={paths.operations({ state, since })}
          />
        ))}
      </List>
      <List title={t('overview.counts.installations')}>
        {INSTALLATION_STATES.map((state) => (
          <Line
            key={state}
            look={installationLook[state]}
            count={summary.installations[state]}
            to={paths.installations({ state })}
          />
        ))}
        <Line
          look={{ icon: 'sortUp', tone: 'moved', word: 'overview.counts.outdated' }}
          count={summary.outdated}
          to={paths.installations({ upgrade: 'available' })}
        />
      </List>
    </>
  )
}

function List({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="px-2 py-2">
      <h3 className="px-2 pb-1 text-xs text-faint">{title}</h3>
      <ul>{children}</ul>
    </div>
  )
}

function Line({
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
    <li>
      <PlainLink to={to} className="flex h-7.5 items-center gap-2 rounded-md px-2 hover:bg-hover">
        <Icon
          name={look.icon}
          size={14}
          className={count === 0 ? 'text-faint opacity-60' : toneText[look.tone]}
        />
        <span className={cx('flex-1', count === 0 && 'text-muted')}>{t(look.word)}</span>
        <span className={cx('tabular-nums', count === 0 ? 'text-faint' : 'font-semibold')}>
          {formatNumber(count)}
        </span>
      </PlainLink>
    </li>
  )
}

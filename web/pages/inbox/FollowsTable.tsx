import { useQuery } from '@tanstack/react-query'
import { Suspense, useMemo, useState } from 'react'
import { followsCall } from '#contract/console-api/pages/inbox.ts'
import type { Follow } from '#contract/console-api/shapes.ts'
import { apiQuery } from '../../api/query.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { joinList } from '../../i18n/punctuation.ts'
import { useRichText, useText, type Translate } from '../../i18n/use-text.ts'
import { FollowButton } from '../../subjects/inbox/FollowButton.tsx'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { TextLink } from '../../ui/Link.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import type { Column } from '../../ui/table/column.ts'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { Time } from '../../ui/Time.tsx'
import { useNow } from '../../ui/use-now.ts'
import { followName } from './follow-name.ts'

const EscalationDialog = lazyPart(async () => (await import('./EscalationDialog.tsx')).EscalationDialog)

/** What the person follows, and for whom a failure that nobody takes escalates. */
export function FollowsTable() {
  const t = useText()
  const query = useQuery(apiQuery('GET /follows', followsCall))
  const [escalating, setEscalating] = useState<Follow | null>(null)
  const columns = useMemo(() => followColumns(t, setEscalating), [t])
  return (
    <>
      <QueryTable
        label={t('inbox.view.follows')}
        query={query}
        columns={columns}
        rowKey={rowKey}
        empty={
          <EmptyState
            icon="notifications"
            title={t('inbox.none.follows')}
            message={t('inbox.none.follows.message')}
          />
        }
      />
      {escalating !== null && (
        <Suspense>
          <EscalationDialog follow={escalating} onClose={() => setEscalating(null)} />
        </Suspense>
      )}
    </>
  )
}

const rowKey = ({ followId }: Follow) => followId

/** Whom a failure is reported to, and until when. */
function Escalation({ follow: { escalateAfterMinutes, escalateTo, escalatesUntil } }: { follow: Follow }) {
  const t = useText()
  const rich = useRichText()
  const now = useNow(60_000)
  if (escalateAfterMinutes === null || escalatesUntil === null) return <Nothing />
  const people =
    escalateTo.length === 0
      ? t('inbox.escalation.me')
      : joinList(
          t,
          escalateTo.map(({ name }) => name),
        )
  const hasEnded = Date.parse(escalatesUntil) <= now
  return (
    <>
      {t('inbox.escalation.after', { n: escalateAfterMinutes, people })}
      <span className={cx('block text-xs', hasEnded ? 'font-medium text-fail' : 'text-muted')}>
        {rich(hasEnded ? 'inbox.escalation.ended' : 'inbox.escalation.until', {
          time: <Time at={escalatesUntil} inRow />,
        })}
      </span>
    </>
  )
}

const followColumns = (t: Translate, onEscalate: (follow: Follow) => void): Column<Follow>[] => [
  {
    id: 'what',
    width: 'max(14rem, 34cqi)',
    header: t('inbox.field.followed'),
    cell: (follow) => {
      const { text, to } = followName(follow, t)
      return <TextLink to={to}>{text}</TextLink>
    },
  },
  {
    id: 'kind',
    header: t('inbox.field.kind'),
    cell: ({ subject }) => t(`inbox.kind.${subject.kind}`),
    width: '9rem',
    hideBelow: 'lg',
  },
  {
    id: 'scope',
    header: t('inbox.field.scope'),
    cell: ({ subject, scope }) =>
      subject.kind === 'scope' || scope === null ? <Nothing /> : <ScopeText scope={scope} />,
    width: 'max(11rem, 18cqi)',
    hideBelow: 'md',
  },
  {
    id: 'escalation',
    header: t('inbox.field.escalation'),
    cell: (follow) => <Escalation follow={follow} />,
  },
  {
    id: 'actions',
    header: t('inbox.field.actions'),
    headerHidden: true,
    cell: (follow) => (
      <span className="flex flex-wrap justify-end gap-1 @max-[40rem]/table:-ml-2 @max-[40rem]/table:justify-start">
        <Button
          size="sm"
          variant="quiet"
          label={t('inbox.escalation.of', { name: followName(follow, t).text })}
          icon="waiting"
          onClick={() => onEscalate(follow)}
        />
        <FollowButton subject={follow.subject} />
      </span>
    ),
    width: '9.5rem',
    align: 'end',
    card: 'plain',
  },
]

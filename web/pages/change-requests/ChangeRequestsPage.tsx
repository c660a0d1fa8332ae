import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useMemo } from 'react'
import { changeRequestsCall } from '#contract/console-api/pages/change-requests.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { ChangeRequest } from '#contract/console-api/shapes.ts'
import { CHANGE_KINDS, CHANGE_STATES } from '#contract/console-api/vocabulary.ts'
import { apiQuery } from '../../api/query.ts'
import { paths } from '../../addresses/paths.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { changeLook, changeStateText, lookOfChange } from '../../subjects/change-requests/change-looks.ts'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { useResumedDialog } from '../../subjects/sign-in/interrupted-action.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ChoiceFilter } from '../../ui/filters/ChoiceFilter.tsx'
import { FilterBar } from '../../ui/filters/FilterBar.tsx'
import { LinkButton } from '../../ui/Link.tsx'
import { SegmentedControl } from '../../ui/SegmentedControl.tsx'
import type { Column } from '../../ui/table/column.ts'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { Time } from '../../ui/Time.tsx'
import { CHANGE_POLICIES } from './change-policies.ts'

const ChangePolicies = lazyPart(async () => (await import('./ChangePolicies.tsx')).ChangePolicies)

const route = getRouteApi('/change-requests')

/** Change requests, newest first; those that wait for the person by a press. */
export function ChangeRequestsPage() {
  const t = useText()
  const { user } = useShell()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const policies = useResumedDialog(CHANGE_POLICIES)
  const query = useQuery({
    ...apiQuery('GET /change-requests', changeRequestsCall(search)),
    placeholderData: keepPreviousData,
  })
  const columns = useMemo(() => columnsOf(t), [t])
  const clear = Object.keys(search).some((key) => key !== 'cursor') && (() => void navigate({ search: {} }))
  const narrow = (next: {
    waiting?: 'me' | undefined
    author?: string | undefined
    state?: string | undefined
    kind?: string | undefined
  }) =>
    void navigate({
      search: omitUndefined({ ...search, cursor: undefined, ...next }),
      replace: true,
      state: true,
    })
  return (
    <Page
      title={t('changes.title')}
      actions={
        <>
          <LinkButton to={paths.calendar()} icon="calendar">
            {t('calendar.title')}
          </LinkButton>
          <Button icon="lock" onClick={policies.open}>
            {t('changes.policies')}
          </Button>
        </>
      }
    >
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SegmentedControl
          label={t('changes.waiting.of')}
          value={search.waiting ?? (search.author === user?.id ? 'mine' : 'anyone')}
          options={[
            { value: 'anyone', label: t('changes.waiting.anyone') },
            { value: 'me', label: t('changes.waiting.me') },
            { value: 'mine', label: t('changes.waiting.mine') },
          ]}
          onChange={(value) =>
            narrow({
              waiting: value === 'me' ? 'me' : undefined,
              author: value === 'mine' ? user?.id : undefined,
            })
          }
        />
        <FilterBar onClear={clear}>
          <ChoiceFilter
            label={t('changes.state.filter')}
            value={search.state}
            choices={CHANGE_STATES.map((state) => ({
              value: state,
              label: t(`changes.state.${state}`),
              ...changeLook[state],
            }))}
            onChange={(state) => narrow({ state })}
          />
          <ChoiceFilter
            label={t('changes.kind.filter')}
            value={search.kind}
            choices={CHANGE_KINDS.map((kind) => ({ value: kind, label: t(`changes.kind.${kind}`) }))}
            onChange={(kind) => narrow({ kind })}
          />
        </FilterBar>
      </div>
      <QueryTable
        label={t('changes.list')}
        query={query}
        columns={columns}
        rowKey={rowKey}
        rowLink={rowLink}
        lines={2}
        cursor={search.cursor}
        pageLink={(cursor) => paths.changeRequests(omitUndefined({ ...search, cursor }))}
        onClear={clear}
        empty={
          <EmptyState icon="review" title={t('changes.empty.title')} message={t('changes.empty.message')} />
        }
      />
      <Suspense>
        {policies.dialog && <ChangePolicies {...policies.dialog} onClose={policies.close} />}
      </Suspense>
    </Page>
  )
}

const rowKey = ({ changeRequestId }: ChangeRequest) => changeRequestId
const rowLink = ({ changeRequestId }: ChangeRequest) => paths.changeRequest(changeRequestId)

const columnsOf = (t: Translate): Column<ChangeRequest>[] => [
  {
    id: 'title',
    header: t('changes.column.title'),
    cell: ({ title, kind, overridden }) => (
      <span className="block">
        <span className="line-clamp-2 wrap-anywhere whitespace-normal" title={title}>
          {title}
        </span>
        <span className="block text-xs text-muted">
          {t(`changes.kind.${kind}`)}
          {overridden && <span className="ml-2 text-doubt">{t('changes.overridden')}</span>}
        </span>
      </span>
    ),
  },
  {
    id: 'state',
    header: t('changes.column.state'),
    width: '8.5rem',
    card: 'plain',
    cell: (request) => (
      <Badge look="plain" {...lookOfChange(request)}>
        {changeStateText(request, t)}
      </Badge>
    ),
  },
  {
    id: 'approvals',
    header: t('changes.column.approvals'),
    align: 'end',
    width: '6.5rem',
    hideBelow: 'lg',
    cell: ({ approvals, approvalsNeeded }) =>
      approvalsNeeded === 0
        ? approvals
        : t('changes.approvals.of', { approvals: String(approvals), needed: String(approvalsNeeded) }),
  },
  {
    id: 'where',
    header: t('changes.column.where'),
    width: '13rem',
    card: 'line',
    cell: ({ scope }) => (scope === null ? t('changes.kind.BATCH') : <ScopeText scope={scope} />),
  },
  {
    id: 'by',
    header: t('changes.column.by'),
    width: '9rem',
    hideBelow: 'lg',
    card: 'plain',
    cell: ({ createdBy }) => createdBy.name,
  },
  {
    id: 'at',
    header: t('changes.column.at'),
    width: '8.25rem',
    hideBelow: 'md',
    card: 'plain',
    cell: ({ createdAt }) => <Time at={createdAt} inRow className="text-muted" />,
  },
]

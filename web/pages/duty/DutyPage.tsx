import { useQuery } from '@tanstack/react-query'
import { Suspense, useState, type ReactNode } from 'react'
import {
  myAssignedCall,
  myCausesCall,
  newCausesCall,
  solvedCausesCall,
  takenCausesCall,
} from '#contract/console-api/pages/causes.ts'
import type { Cause, Operation } from '#contract/console-api/shapes.ts'
import { callApi } from '../../api/client.ts'
import { apiQuery } from '../../api/query.ts'
import { paths } from '../../addresses/paths.ts'
import { lazyPart } from '../../base/lazy-part.ts'
import { loadWithRetry } from '../../base/load-with-retry.ts'
import { useErrorView } from '../../i18n/describe-code.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { affectedText, causeTitle } from '../../subjects/causes/cause-texts.ts'
import { CauseActions } from '../../subjects/causes/CauseActions.tsx'
import { CauseStateBadge } from '../../subjects/causes/CauseStateBadge.tsx'
import { failureTitle } from '../../subjects/operations/describe-failure.ts'
import { operationName } from '../../subjects/operations/operation-texts.ts'
import { ScopeLink } from '../../subjects/scopes/ScopeText.tsx'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Card, Section } from '../../ui/Card.tsx'
import { copyText } from '../../ui/copy-text.ts'
import { CopyByHand } from '../../ui/CopyButton.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { PlainLink } from '../../ui/Link.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import { OperationBadge } from '../../ui/StateBadge.tsx'
import { Time } from '../../ui/Time.tsx'
import { showToast } from '../../ui/toast.ts'

const NoteDialog = lazyPart(async () => (await import('../../subjects/operations/NoteDialog.tsx')).NoteDialog)
const loadHandOver = () => loadWithRetry(() => import('./hand-over.ts'))

/** One page for a shift: what the person works on, what nobody works on, and what others do or wait for. */
export function DutyPage() {
  const t = useText()
  const { user } = useShell()
  return (
    <Page title={t('operations.duty.title')} actions={user && <HandOver personId={user.id} />}>
      <div className="space-y-8">
        {user && <Mine personId={user.id} />}
        <Causes
          title={t('operations.duty.new')}
          hint={t('operations.duty.new.hint')}
          empty={t('operations.duty.new.empty')}
          call={newCausesCall}
        />
        <Causes
          title={t('operations.duty.others')}
          hint={t('operations.duty.others.hint')}
          empty={t('operations.duty.others.empty')}
          call={takenCausesCall}
          except={user?.id}
        />
      </div>
    </Page>
  )
}

function Mine({ personId }: { personId: string }) {
  const t = useText()
  const operations = useQuery(apiQuery('GET /operations', myAssignedCall(personId)))
  const assigned = operations.data?.items ?? []
  return (
    <Causes
      title={t('operations.duty.mine')}
      hint={t('operations.duty.mine.hint')}
      empty={t('operations.duty.mine.empty')}
      call={myCausesCall(personId)}
      others={assigned.length}
    >
      {assigned.map((operation) => (
        <OperationItem key={operation.operationId} operation={operation} />
      ))}
    </Causes>
  )
}

function Causes({
  title,
  hint,
  empty,
  call,
  except,
  others = 0,
  children,
}: {
  title: string
  hint: string
  empty: string
  call: { query: { limit: number; state: string; takenBy?: string } }
  /** The ID of a person whose causes are left out. */
  except?: string | undefined
  /** How many other items there are. */
  others?: number
  /** Those items. */
  children?: ReactNode
}) {
  const t = useText()
  const query = useQuery(apiQuery('GET /causes', call))
  const error = useErrorView(query.error)
  if (query.data === undefined)
    return (
      <Section title={title} flush>
        {error ? (
          <ErrorState error={error} retrying={query.isFetching} onRetry={() => void query.refetch()} />
        ) : (
          <SkeletonLines lines={3} />
        )}
      </Section>
    )
  const { causes, total = causes.length } = query.data
  const shown = causes.filter(({ assignee }) => except === undefined || assignee?.id !== except)
  const hidden = total - causes.length
  return (
    <Section title={title} description={hint} flush>
      <Card padded={false}>
        {shown.length + others === 0 ? (
          <p className="px-4 py-3 text-muted">{empty}</p>
        ) : (
          <ul className="divide-y divide-line">
            {shown.map((cause) => (
              <CauseItem key={cause.causeId} cause={cause} />
            ))}
            {children}
          </ul>
        )}
        {hidden > 0 && (
          <p className="border-t border-line px-4 py-2 text-xs text-muted">
            {t('overview.attention.moreCauses', { n: hidden })}
          </p>
        )}
      </Card>
    </Section>
  )
}

function CauseItem({ cause }: { cause: Cause }) {
  const t = useText()
  const rich = useRichText()
  const { causeId, lastAt, pluginId } = cause
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-64">
        <PlainLink
          to={paths.cause(causeId)}
          className="inline-flex min-h-6 items-center rounded-sm font-semibold wrap-anywhere hover:underline"
        >
          {causeTitle(cause, t)}
        </PlainLink>
        <p className="text-xs text-muted">
          {affectedText(cause, t)}
          {pluginId !== null && (
            <>
              {'\u00a0· '}
              <span className="mono">{pluginId}</span>
            </>
          )}
          {'\u00a0· '}
          {rich('operations.causes.last', { when: <Time at={lastAt} inRow /> })}
        </p>
        {cause.state !== 'NEW' && <CauseStateBadge cause={cause} />}
      </div>
      <div className="flex flex-wrap gap-2 max-sm:gap-1.5">
        <CauseActions cause={cause} />
      </div>
    </li>
  )
}

/** An operation that is assigned to the person. */
function OperationItem({ operation }: { operation: Operation }) {
  const t = useText()
  const [isWriting, setWriting] = useState(false)
  const { operationId, state, failure, installation } = operation
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-baseline gap-x-3">
          <PlainLink
            to={paths.operation(operationId)}
            className="inline-flex min-h-6 items-center rounded-sm font-semibold hover:underline"
          >
            {operationName(operation, t)}
          </PlainLink>
          <OperationBadge state={state} />
        </p>
        <p className="text-xs">
          <span className="inline-flex min-h-6 items-center">
            <ScopeLink scope={installation} />
          </span>
          {failure !== null && (
            <span className="text-muted wrap-anywhere"> · {failureTitle(failure, t)}</span>
          )}
        </p>
      </div>
      <Button size="sm" icon="edit" onClick={() => setWriting(true)}>
        {t('operations.notes.add')}
      </Button>
      {isWriting && (
        <Suspense>
          <NoteDialog operationId={operationId} onClose={() => setWriting(false)} />
        </Suspense>
      )}
    </li>
  )
}

/** Copies the hand-over of the shift as Markdown. */
function HandOver({ personId }: { personId: string }) {
  const t = useText()
  const [byHand, setByHand] = useState<string | null>(null)
  const text = async () => {
    const [{ handOver }, mine, assigned, fresh, taken, solved] = await Promise.all([
      loadHandOver(),
      callApi('GET /causes', myCausesCall(personId)),
      callApi('GET /operations', myAssignedCall(personId)),
      callApi('GET /causes', newCausesCall),
      callApi('GET /causes', takenCausesCall),
      callApi('GET /causes', solvedCausesCall),
    ])
    return handOver(
      {
        personId,
        mine: mine.causes,
        assigned: assigned.items,
        fresh: fresh.causes,
        freshTotal: fresh.total ?? fresh.causes.length,
        others: taken.causes.filter(({ assignee }) => assignee?.id !== personId),
        solved: solved.causes,
      },
      { t, origin: location.origin, now: Date.now() },
    )
  }
  const copy = async () => {
    const made = text()
    if (await copyText(made).catch(() => false)) return showToast({ text: t('operations.duty.copied') })
    const left = await made.catch(() => null)
    if (left === null) showToast({ tone: 'error', text: t('operations.share.copyFailed') })
    else setByHand(left)
  }
  return (
    <>
      <Button icon="copy" onPointerEnter={() => void loadHandOver()} onClick={() => void copy()}>
        {t('operations.duty.handOver')}
      </Button>
      {byHand !== null && <CopyByHand text={byHand} onClose={() => setByHand(null)} />}
    </>
  )
}

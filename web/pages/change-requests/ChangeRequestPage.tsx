import { useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useController } from 'react-hook-form'
import * as z from 'zod/mini'
import { batchCall } from '#contract/console-api/pages/batches.ts'
import { changeRequestCall } from '#contract/console-api/pages/change-requests.ts'
import type { Batch, ChangeEntry, ChangePlan, ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { apiQuery, FOLLOW_MS, followInterval } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { useWrite } from '../../api/write.ts'
import { paths } from '../../addresses/paths.ts'
import { TextAreaField } from '../../forms/fields/TextAreaField.tsx'
import { Form } from '../../forms/form/Form.tsx'
import { FormError } from '../../forms/form/FormError.tsx'
import { fieldOfRequest } from '../../forms/form/server-errors.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { useZodForm } from '../../forms/form/use-zod-form.ts'
import { messageText } from '../../i18n/message-text.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { batchProgressText, totalOf } from '../../subjects/batch/batch-counts.ts'
import { needsPerson } from '../../subjects/batch/batch-looks.ts'
import { Page } from '../../layouts/Page.tsx'
import { PendingPage } from '../../layouts/PendingPage.tsx'
import {
  changeLook,
  changeStateText,
  isLive,
  lookOfChange,
  undoneOf,
} from '../../subjects/change-requests/change-looks.ts'
import type { Titles } from '../../subjects/manifest/use-titles.ts'
import { ScopeLink } from '../../subjects/scopes/ScopeText.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, Section } from '../../ui/Card.tsx'
import { DefinitionList } from '../../ui/DefinitionList.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Time } from '../../ui/Time.tsx'
import { PropertyValueView } from '../../ui/value/ValueView.tsx'
import { Approvals } from './Approvals.tsx'
import { ChangeActions } from './ChangeActions.tsx'
import { ChangeFacts } from './ChangeFacts.tsx'
import { useRequestTitles } from './use-request-titles.ts'
import { isReady, PlannedChange, Problems, refusals, wouldBeRefused } from './PlannedChange.tsx'

const route = getRouteApi('/change-requests/$id')

/** How often a request is read that is being applied: the page shows that its operations have ended, which events report. */
const APPLYING_MS = 1_000

/** One change request: what it would do now, who approved what, what people said, and what can be done with it. */
export function ChangeRequestPage() {
  const t = useText()
  const { id } = route.useParams()
  const query = useQuery({
    ...apiQuery('GET /change-requests/{changeRequestId}', changeRequestCall(id)),
    refetchInterval: ({ state: { data, error } }) =>
      followInterval(error, data?.state === 'APPLYING' ? APPLYING_MS : FOLLOW_MS),
  })
  if (!query.data)
    return (
      <PendingPage
        id={id}
        trail={[{ label: t('changes.title'), to: paths.changeRequests() }]}
        query={query}
      />
    )
  return <Shown request={query.data} />
}

function Shown({ request }: { request: ChangeRequestDetail }) {
  const t = useText()
  const { state, title, scope, kind } = request
  const planned = apiQuery(
    'GET /change-requests/{changeRequestId}/plan',
    changeRequestCall(request.changeRequestId),
  )
  const plan = useQuery({
    ...planned,
    // the plan of an earlier revision is not its plan: the targets of a batch are edited as the plan has them
    queryKey: [...planned.queryKey, request.revision],
    enabled: isLive(request),
  })
  const [target, setTarget] = useState<ChangeEntry['target']>(null)
  const titles = useRequestTitles(request, plan.data)
  return (
    <Page
      title={title}
      environment={scope?.environmentKey}
      trail={[{ label: t('changes.title'), to: paths.changeRequests() }]}
      state={<Badge {...lookOfChange(request)}>{changeStateText(request, t)}</Badge>}
      meta={
        <>
          <span>{t(`changes.kind.${kind}`)}</span>
          {scope !== null && <ScopeLink scope={scope} />}
          {request.overridden && (
            <Badge tone="doubt" icon="warning">
              {t('changes.overridden')}
            </Badge>
          )}
        </>
      }
      actions={<ChangeActions request={request} plan={plan.data} isPlanning={plan.isPending} />}
      notice={<StateNotice request={request} plan={plan} titles={titles} />}
    >
      <div className="grid gap-8 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="min-w-0 space-y-6">
          <ChangeFacts request={request} plan={plan.data} />
          {request.conflicts.length > 0 && <Conflicts request={request} plan={plan.data} titles={titles} />}
          <PlannedChange request={request} plan={plan} titles={titles} onComment={setTarget} />
        </div>
        <div className="min-w-0 space-y-6">
          {state !== 'DRAFT' && <Approvals request={request} titles={titles} />}
          <History request={request} titles={titles} target={target} onTarget={setTarget} />
        </div>
      </div>
    </Page>
  )
}

function StateNotice({
  request,
  plan,
  titles,
}: {
  request: ChangeRequestDetail
  plan: UseQueryResult<ChangePlan>
  titles: Titles
}) {
  const t = useText()
  const rich = useRichText()
  const { kind, state, failure, schedule, approvalsNeeded, batchId, may } = request
  const isFree = state === 'OPEN' && approvalsNeeded === 0
  const started = useOperations(request)
  const results = new Set(started.map((operation) => operation && (operation.data?.state ?? null)))
  const isStuck = state === 'APPLYING' && results.has('FAILED')
  const isPaused =
    state === 'APPLYING' && started.some((operation) => operation?.data?.nextStep.action === 'RESUME')
  const isPartial = state === 'APPLIED' && results.has('TAKEN_OVER')
  const batch = useQuery({
    ...apiQuery('GET /batches/{batchId}', batchCall(batchId ?? '')),
    enabled: batchId !== null,
  })
  const { counts } = batch.data ?? {}
  // what it skipped or refused, or what failed, has not taken effect
  const isIncomplete = state === 'APPLIED' && counts !== undefined && counts.SUCCEEDED < totalOf(counts)
  const isHeldUp =
    state === 'APPLYING' &&
    batch.data !== undefined &&
    (batch.data.state === 'PAUSED' || needsPerson(batch.data))
  const isToApply = isReady(request)
  const isLoading =
    (isToApply && plan.isPending) || results.has(undefined) || (batchId !== null && batch.isPending)
  const isRefused = wouldBeRefused(plan.data)
  const tone =
    state === 'CONFLICTED' || state === 'REFUSED' || isStuck
      ? 'error'
      : state === 'EXPIRED' || isPartial || isIncomplete || isPaused || isHeldUp || (isToApply && isRefused)
        ? 'warn'
        : 'info'
  const times =
    schedule === null
      ? null
      : {
          from: <Time at={schedule.notBefore} exact="minute" />,
          to: <Time at={schedule.notAfter} exact="minute" />,
        }
  return (
    <Notice
      tone={tone}
      icon={isStuck ? 'failed' : tone === 'warn' ? 'warning' : isFree ? 'info' : changeLook[state].icon}
      // the plan tells whether it can be applied, and its operations and batch how they ended; until then, nothing is read aloud that may be wrong
      className={isLoading ? 'invisible' : undefined}
      live
    >
      {state === 'SCHEDULED' && times !== null
        ? rich(isRefused ? 'changes.about.SCHEDULED.refused' : 'changes.about.SCHEDULED', times)
        : isFree
          ? t(isRefused ? 'changes.about.OPEN.free.refused' : 'changes.about.OPEN.free')
          : isIncomplete
            ? t(endOfBatch(counts, batch.data?.state), { progress: batchProgressText(counts, t) })
            : state === 'SCHEDULED' || state === 'APPROVED'
              ? t(
                  isRefused
                    ? 'changes.about.APPROVED.refused'
                    : may.apply
                      ? 'changes.about.APPROVED'
                      : 'changes.about.APPROVED.others',
                )
              : t(
                  isStuck
                    ? 'changes.about.APPLYING.failed'
                    : isPaused
                      ? 'changes.about.APPLYING.paused'
                      : isHeldUp
                        ? 'changes.about.APPLYING.batch'
                        : isPartial
                          ? 'changes.about.APPLIED.partly'
                          : `changes.about.${state}`,
                )}
      {isToApply && isRefused && <Problems plan={plan.data} titles={titles} />}
      {/* of an applied one, the notice says more */}
      {failure !== null && state !== 'APPLIED' && <p className="mt-1">{messageText(failure)}</p>}
      {/* a save has a button */}
      {state === 'APPLIED' && kind !== 'CONFIGURE' && undoneOf(request) !== 'none' && (
        // a takeover has detached the installation
        <p className="mt-1">{t(`changes.undo.${isPartial && kind !== 'BATCH' ? 'TAKEOVER' : kind}`)}</p>
      )}
    </Notice>
  )
}

/** What is said of a batch that has not succeeded in all targets: one that was stopped may not even have begun. */
const endOfBatch = (counts: Batch['counts'], state: Batch['state'] | undefined) =>
  counts.SUCCEEDED > 0
    ? 'changes.about.APPLIED.batch'
    : state === 'STOPPED'
      ? 'changes.about.APPLIED.batch.stopped'
      : 'changes.about.APPLIED.batch.none'

/** The operations that it started; undefined while one is being loaded, without data if it cannot be. */
const useOperations = ({ operations }: ChangeRequestDetail) =>
  useQueries({
    queries: operations.map((operationId) =>
      apiQuery('GET /operations/{operationId}', { params: { operationId } }),
    ),
    combine: (queries) => queries.map(({ data, isPending }) => (isPending ? undefined : { data })),
  })

/** Where somebody else saved another value: all three, so that anyone who edits it can choose. */
function Conflicts({
  request: { conflicts },
  plan,
  titles: { titleOf },
}: {
  request: ChangeRequestDetail
  plan: ChangePlan | undefined
  titles: Titles
}) {
  const t = useText()
  const isGone = (place: string) =>
    refusals(plan).some(
      ({ errorCode, locator }) => errorCode === 'RESOURCE_OWNERSHIP_MISSING' && locator === place,
    )
  return (
    <Section title={t('changes.section.conflicts')} flush>
      <ul className="space-y-3">
        {conflicts.map(({ locator, property, base, theirs, mine }) => (
          <li key={`${locator} ${property}`}>
            <Card padded={false} className="px-4 py-2">
              <p className="font-medium wrap-anywhere">{titleOf(locator, property) ?? property}</p>
              {titleOf(locator) === undefined && (
                <p className="mono text-xs wrap-anywhere text-muted">{locator}</p>
              )}
              <DefinitionList
                items={[
                  { label: t('changes.conflict.base'), value: <PropertyValueView value={base} /> },
                  {
                    label: t('changes.conflict.theirs'),
                    value: isGone(locator) ? (
                      <span className="text-muted">{t('changes.conflict.gone')}</span>
                    ) : (
                      <PropertyValueView value={theirs} />
                    ),
                  },
                  { label: t('changes.conflict.mine'), value: <PropertyValueView value={mine} /> },
                ]}
              />
            </Card>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function History({
  request,
  titles,
  target,
  onTarget,
}: {
  request: ChangeRequestDetail
  titles: Titles
  target: ChangeEntry['target']
  onTarget: (target: ChangeEntry['target']) => void
}) {
  const t = useText()
  const nameOf = ({ locator, property }: NonNullable<ChangeEntry['target']>) =>
    titles.titleOf(locator, property) ?? property ?? locator
  const may = useMay('change:propose', request.scope ?? 'anywhere')
  const isBatchEnd = ({ event }: ChangeEntry) => event === 'APPLIED' && request.batchId !== null
  return (
    <Section title={t('changes.section.history')} flush>
      <ol className="space-y-3">
        {request.history.map((entry) => (
          <li key={entry.number}>
            <p>
              {entry.policy === undefined
                ? t(`changes.event.${isBatchEnd(entry) ? 'APPLIED.batch' : entry.event}`, {
                    person: entry.by.name,
                  })
                : t('changes.event.policy', {
                    environment: entry.policy.environmentKey,
                    n: entry.policy.approvals,
                  })}{' '}
              <Time at={entry.at} className="text-xs text-muted" />
            </p>
            {entry.target !== null && (
              <p className="text-xs text-muted">
                {t('changes.comment.on', { property: nameOf(entry.target) })}
              </p>
            )}
            {entry.text !== null && (
              <p className="rounded-md bg-sunken px-3 py-1.5 wrap-anywhere whitespace-pre-wrap">
                {entry.text}
              </p>
            )}
          </li>
        ))}
      </ol>
      {may && (
        <CommentForm
          request={request}
          target={target}
          name={target === null ? '' : nameOf(target)}
          onTarget={onTarget}
        />
      )}
    </Section>
  )
}

function CommentForm({
  request: { changeRequestId },
  target,
  name,
  onTarget,
}: {
  request: ChangeRequestDetail
  target: ChangeEntry['target']
  /** Of the target. */
  name: string
  onTarget: (target: ChangeEntry['target']) => void
}) {
  const t = useText()
  const schema = useMemo(
    () =>
      z.object({
        text: z.string().check(z.refine((text) => text.trim() !== '', t('changes.comment.missing'))),
      }),
    [t],
  )
  const form = useZodForm(schema, { defaultValues: { text: '' } })
  const comment = useWrite('POST /change-requests/{changeRequestId}/comments', {
    invalidates: ['GET /change-requests/{changeRequestId}'],
  })
  const { onSubmit, busy, error } = useSubmit(
    form,
    async ({ text }) => {
      await comment.mutateAsync({
        params: { changeRequestId },
        body: { text, ...(target !== null && { target }) },
      })
      form.reset()
      onTarget(null)
    },
    fieldOfRequest(['text']),
  )
  const { field } = useController({ control: form.control, name: 'text' })
  return (
    <Form form={form} onSubmit={onSubmit} busy={busy} className="mt-4 space-y-2">
      {error !== null && <FormError error={error} />}
      {target !== null && (
        <p className="flex items-center gap-2 text-xs">
          {t('changes.comment.on', { property: name })}
          <Button size="sm" variant="quiet" icon="close" onClick={() => onTarget(null)}>
            {t('common.clear')}
          </Button>
        </p>
      )}
      <TextAreaField
        control={form.control}
        name="text"
        label={t('changes.comment.label')}
        rows={2}
        maxLength={1000}
      />
      <Button
        type="submit"
        size="sm"
        busy={busy}
        disabledReason={field.value.trim() === '' && t('changes.comment.missing')}
      >
        {t('changes.comment')}
      </Button>
    </Form>
  )
}

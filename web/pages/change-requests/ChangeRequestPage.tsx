import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useController } from 'react-hook-form'
import * as z from 'zod/mini'
import { batchCall } from '#contract/console-api/pages/batches.ts'
import { changeRequestCall } from '#contract/console-api/pages/change-requests.ts'
import type { ChangeEntry, ChangePlan, ChangeRequestDetail } from '#contract/console-api/shapes.ts'
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
import { placeNamer } from '../../forms/property/property-labels.ts'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { PendingPage } from '../../layouts/PendingPage.tsx'
import { changeStateText, isLive, lookOfChange } from '../../subjects/change-requests/change-looks.ts'
import type { Titles } from '../../subjects/manifest/use-titles.ts'
import { ScopeLink } from '../../subjects/scopes/ScopeText.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, Section } from '../../ui/Card.tsx'
import { DefinitionList } from '../../ui/DefinitionList.tsx'
import { Time } from '../../ui/Time.tsx'
import { ChangedValue } from '../../ui/value/BeforeAfter.tsx'
import { Approvals } from './Approvals.tsx'
import { ChangeActions } from './ChangeActions.tsx'
import { ChangeFacts } from './ChangeFacts.tsx'
import { useRequestTitles } from './use-request-titles.ts'
import { PlannedChange, refusals } from './PlannedChange.tsx'
import { HeldBy, StateNotice } from './StateNotice.tsx'

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
  const { state, title, scope, kind, batchId } = request
  const batch = useQuery({
    ...apiQuery('GET /batches/{batchId}', batchCall(batchId ?? '')),
    enabled: batchId !== null,
  })
  const counted = { ...request, counts: batch.data?.counts }
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
  const may = useMay('change:propose', scope ?? 'anywhere')
  return (
    <Page
      title={title}
      environment={scope?.environmentKey}
      trail={[{ label: t('changes.title'), to: paths.changeRequests() }]}
      state={<Badge {...lookOfChange(counted)}>{changeStateText(counted, t)}</Badge>}
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
      notice={
        <>
          <StateNotice request={counted} batch={batch} plan={plan} titles={titles} />
          {state === 'APPLYING' && <HeldBy request={request} />}
        </>
      }
    >
      <div className="grid gap-8 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="min-w-0 space-y-6">
          <ChangeFacts request={request} plan={plan.data} />
          {request.conflicts.length > 0 && <Conflicts request={request} plan={plan.data} titles={titles} />}
          <PlannedChange request={counted} plan={plan} titles={titles} onComment={may ? setTarget : null} />
        </div>
        <div className="min-w-0 space-y-6">
          {state !== 'DRAFT' && <Approvals request={request} titles={titles} />}
          <History request={request} titles={titles} target={target} onTarget={may ? setTarget : null} />
        </div>
      </div>
    </Page>
  )
}

/** Where somebody else saved another value: what each changed, so that anyone who edits it can choose. */
function Conflicts({
  request: { conflicts },
  plan,
  titles: { titleOf, definitionOf },
}: {
  request: ChangeRequestDetail
  plan: ChangePlan | undefined
  titles: Titles
}) {
  const t = useText()
  const nameOf = (locator: string, property: string) => placeNamer(definitionOf(locator, property), t)
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
                  {
                    label: t('changes.conflict.theirs'),
                    value: isGone(locator) ? (
                      <span className="text-muted">{t('changes.conflict.gone')}</span>
                    ) : (
                      <ChangedValue before={base} after={theirs} nameOf={nameOf(locator, property)} />
                    ),
                  },
                  {
                    label: t('changes.conflict.mine'),
                    value: <ChangedValue before={base} after={mine} nameOf={nameOf(locator, property)} />,
                  },
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
  /** Null if the person may not comment. */
  onTarget: ((target: ChangeEntry['target']) => void) | null
}) {
  const t = useText()
  const nameOf = ({ locator, property }: NonNullable<ChangeEntry['target']>) =>
    titles.titleOf(locator, property) ?? property ?? locator
  return (
    <Section title={t('changes.section.history')} flush>
      <ol className="space-y-3">
        {request.history.map((entry) => (
          <li key={entry.number}>
            <p>
              {entry.policy === undefined
                ? t(`changes.event.${entry.event}`, { person: entry.by.name })
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
      {onTarget !== null && (
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
  const box = useRef<HTMLDivElement>(null)
  // the line whose button was pressed may be far above it, on a phone several screens
  useEffect(() => {
    if (target !== null) focusText(box.current)
  }, [target])
  return (
    <Form form={form} onSubmit={onSubmit} busy={busy} className="mt-4 space-y-2">
      {error !== null && <FormError error={error} />}
      {target !== null && (
        <p className="flex items-center gap-2 text-xs">
          {t('changes.comment.on', { property: name })}
          <Button
            size="sm"
            variant="quiet"
            icon="close"
            onClick={() => {
              focusText(box.current)
              onTarget(null)
            }}
          >
            {t('common.clear')}
          </Button>
        </p>
      )}
      <div ref={box}>
        <TextAreaField
          control={form.control}
          name="text"
          label={t('changes.comment.label')}
          rows={2}
          maxLength={1000}
        />
      </div>
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

const focusText = (box: HTMLElement | null) => box?.querySelector('textarea')?.focus()

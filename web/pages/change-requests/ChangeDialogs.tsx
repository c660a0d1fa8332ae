import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import * as z from 'zod/mini'
import type { ChangePlan, ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { ApiError, type EndpointName } from '../../api/client.ts'
import { apiQuery } from '../../api/query.ts'
import { useWrite } from '../../api/write.ts'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { FormDialog } from '../../forms/dialogs/FormDialog.tsx'
import { ReasonField } from '../../forms/fields/ReasonField.tsx'
import { TextField } from '../../forms/fields/TextField.tsx'
import { fieldOfRequest } from '../../forms/form/server-errors.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { useZodForm } from '../../forms/form/use-zod-form.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import {
  keepAction,
  keepForm,
  keptForm,
  type InterruptedAction,
} from '../../subjects/sign-in/interrupted-action.ts'
import { needsSignIn, SignInAgain } from '../../subjects/sign-in/SignInAgain.tsx'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Time } from '../../ui/Time.tsx'

/** What a step of a change request invalidates. */
export const CHANGED = [
  'GET /change-requests',
  'GET /change-requests/waiting',
  'GET /change-requests/{changeRequestId}',
  'GET /change-requests/{changeRequestId}/plan',
] as const satisfies readonly EndpointName[]

/** The page of a request, under which a step is kept while the person signs in again. */
export const pageOf = ({ changeRequestId }: ChangeRequestDetail): string =>
  `change-request/${changeRequestId}`

/** What is known of the present plan: approvals name its effect, and what applies it carries its token. */
export interface ShownPlan {
  batch: ChangePlan['batch']
  /** When the freezes are over that refuse it now; null without one, or if that is not known. */
  frozenUntil: string | null
  /** Null while it is loading, or if none can be made. */
  effect: string | null
  planToken: string | null
  /** Why it would be refused now; null if it would not. */
  refused: string | null
  /** Why there is no effect or token. */
  notReady: string
}

/** The steps that are confirmed, and what each names of the plan. What rejects or overrides others needs a reason. */
const STEPS = {
  approve: { label: 'changes.comment.label', needsReason: false, names: 'effect' },
  reject: { label: 'changes.reject.reason', needsReason: true, names: null },
  withdraw: { label: 'changes.comment.label', needsReason: false, names: null },
  apply: { label: 'common.form.reason', needsReason: false, names: 'planToken' },
  override: { label: 'changes.override.reason', needsReason: true, names: 'planToken' },
} as const
export type Step = keyof typeof STEPS
export const isStep = (name: string): name is Step => Object.hasOwn(STEPS, name)

/**
 * Confirms a step of the request as the person saw it. When another revision or another effect is read meanwhile, nothing
 * can be confirmed: the page with the plan is behind the dialog.
 */
export function StepDialog({
  step,
  request,
  latest,
  plan,
  initialReason,
  onClose,
}: {
  step: Step
  /** As it was when the dialog opened. */
  request: ChangeRequestDetail
  latest: ChangeRequestDetail
  plan: ShownPlan
  initialReason: string
  onClose: () => void
}) {
  const t = useText()
  const { label, needsReason, names } = STEPS[step]
  const { changeRequestId, revision } = request
  const [seen, setSeen] = useState<Pick<ShownPlan, 'effect' | 'planToken'>>({ effect: null, planToken: null })
  // a dialog that opens again after a sign-in may open before the plan is known
  const effect = seen.effect ?? plan.effect
  const planToken = seen.planToken ?? plan.planToken
  if (effect !== seen.effect || planToken !== seen.planToken) setSeen({ effect, planToken })
  // each read has a token of its own, so tokens cannot be compared: the server says what has moved
  const hasChanged = latest.revision !== revision || (names !== null && plan.effect !== effect)
  const approve = useWrite('POST /change-requests/{changeRequestId}/approve', { invalidates: CHANGED })
  const reject = useWrite('POST /change-requests/{changeRequestId}/reject', { invalidates: CHANGED })
  const withdraw = useWrite('POST /change-requests/{changeRequestId}/withdraw', { invalidates: CHANGED })
  const apply = useWrite('POST /change-requests/{changeRequestId}/apply', { invalidates: CHANGED })
  const params = { changeRequestId }
  const isPlanMissing = names !== null && { effect, planToken }[names] === null
  const send = async ({ reason }: { reason: string }) => {
    const comment = reason === '' ? {} : { comment: reason }
    switch (step) {
      case 'approve':
        if (effect === null) return
        await approve.mutateAsync({ params, body: { revision, effect, ...comment } })
        break
      case 'reject':
        await reject.mutateAsync({ params, body: { revision, comment: reason } })
        break
      case 'withdraw':
        await withdraw.mutateAsync({ params, body: { revision, ...comment } })
        break
      case 'apply':
      case 'override': {
        if (planToken === null) return
        const given = reason === '' ? {} : { reason }
        const body = { revision, planToken, override: step === 'override', ...given }
        try {
          await apply.mutateAsync({ params, body })
        } catch (error) {
          // the dialog now shows what has moved, and what is confirmed next is the plan of now
          if (error instanceof ApiError && error.problem.code === 'PLAN_STALE')
            setSeen({ effect, planToken: null })
          throw error
        }
      }
    }
    onClose()
  }
  return (
    <ConfirmForm
      danger={needsReason}
      title={t(`changes.${step}.title`)}
      confirm={t(`changes.${step}`)}
      reason={{ label: t(label), required: needsReason }}
      initialReason={initialReason}
      blockedReason={isPlanMissing ? plan.notReady : null}
      change={
        hasChanged
          ? {
              notice: (
                <Notice tone="warn" live title={t('changes.changed.title')}>
                  {t('changes.changed.over')}
                </Notice>
              ),
              reason: t('changes.changed.title'),
            }
          : null
      }
      errorActions={(code, reason) =>
        needsSignIn(code) && (
          <SignInAgain keep={(id) => keepAction(id, pageOf(request), { target: step, reason })} />
        )
      }
      send={send}
      onClose={onClose}
    >
      <p>{t(`changes.${step}.about`)}</p>
    </ConfirmForm>
  )
}

/** The title and the reason. A takeover also moves to the present run of its operation. */
export function DescribeDialog({ request, onClose }: { request: ChangeRequestDetail; onClose: () => void }) {
  const t = useText()
  const { changeRequestId, revision, kind, title, reason, input } = request
  const { operationId } = input
  const operation = useQuery({
    ...apiQuery('GET /operations/{operationId}', { params: { operationId: operationId ?? '' } }),
    enabled: kind === 'TAKEOVER' && operationId !== undefined,
  })
  const run = operation.data?.run
  const hasMoved = operationId !== undefined && run !== undefined && run !== input.run
  const schema = useMemo(
    () =>
      z.object({
        title: z.string().check(z.refine((text) => text.trim() !== '', t('changes.describe.missing'))),
        reason: z.string(),
      }),
    [t],
  )
  const form = useZodForm(schema, { defaultValues: { title, reason: reason ?? '' } })
  const edit = useWrite('PATCH /change-requests/{changeRequestId}', { invalidates: CHANGED })
  const submit = useSubmit(
    form,
    async (values) => {
      const described = {
        revision,
        title: values.title.trim(),
        reason: values.reason.trim() === '' ? null : values.reason.trim(),
      }
      await edit.mutateAsync({
        params: { changeRequestId },
        body: hasMoved
          ? { kind: 'TAKEOVER', ...described, input: { operationId, run } }
          : { kind, ...described },
      })
      onClose()
    },
    fieldOfRequest(['title', 'reason']),
  )
  return (
    <FormDialog
      form={form}
      {...submit}
      title={t('changes.describe')}
      submit={t('changes.editing.save')}
      onClose={onClose}
    >
      <TextField control={form.control} name="title" label={t('changes.describe.title')} />
      <ReasonField control={form.control} />
      {hasMoved && <p className="text-muted">{t('changes.describe.run', { run: String(run) })}</p>}
    </FormDialog>
  )
}

/** The time in which the request is applied, in the time of the person's browser. `kept` is what they left to sign in again. */
export function ScheduleDialog({
  request,
  kept,
  frozenUntil,
  onClose,
}: {
  request: ChangeRequestDetail
  kept: InterruptedAction | null
  frozenUntil: ShownPlan['frozenUntil']
  onClose: () => void
}) {
  const t = useText()
  const rich = useRichText()
  const { changeRequestId, revision, schedule } = request
  const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const schema = useMemo(() => {
    const time = z
      .string()
      .check(z.refine((text) => !Number.isNaN(Date.parse(text)), t('changes.schedule.missing')))
    return z.object({ notBefore: time, notAfter: time }).check(
      z.refine(({ notBefore, notAfter }) => Date.parse(notAfter) > Date.parse(notBefore), {
        path: ['notAfter'],
        error: t('changes.schedule.order'),
      }),
    )
  }, [t])
  const form = useZodForm(schema, {
    defaultValues: keptForm(kept, schema) ?? {
      notBefore: localText(schedule?.notBefore),
      notAfter: localText(schedule?.notAfter),
    },
  })
  const save = useWrite('POST /change-requests/{changeRequestId}/schedule', { invalidates: CHANGED })
  const submit = useSubmit(
    form,
    async ({ notBefore, notAfter }) => {
      await save.mutateAsync({
        params: { changeRequestId },
        body: {
          revision,
          notBefore: new Date(notBefore).toISOString(),
          notAfter: new Date(notAfter).toISOString(),
          timeZone,
        },
      })
      onClose()
    },
    fieldOfRequest(['notBefore', 'notAfter']),
  )
  /** Begins then, and ends a day later unless a later end is entered. */
  const startAt = (moment: string) => {
    const start = Math.ceil(Date.parse(moment) / MINUTE_MS) * MINUTE_MS
    const set = (name: 'notBefore' | 'notAfter', at: number) =>
      form.setValue(name, localText(at), { shouldDirty: true, shouldValidate: true })
    set('notBefore', start)
    if (!(Date.parse(form.getValues('notAfter')) > start)) set('notAfter', start + DAY_MS)
  }
  return (
    <FormDialog
      form={form}
      {...submit}
      title={t('changes.schedule.title')}
      description={t('changes.schedule.about')}
      submit={t('changes.schedule')}
      errorActions={
        needsSignIn(submit.error?.error.problem.code) && (
          <SignInAgain
            keep={(id) => keepForm(id, pageOf(request), { target: 'schedule', values: form.getValues() })}
          />
        )
      }
      onClose={onClose}
    >
      {frozenUntil !== null && (
        <Notice
          icon="lock"
          actions={
            <Button size="sm" onClick={() => startAt(frozenUntil)}>
              {t('changes.schedule.afterFreeze')}
            </Button>
          }
        >
          {rich('changes.schedule.frozen', { until: <Time at={frozenUntil} exact="minute" /> })}
        </Notice>
      )}
      <TextField
        control={form.control}
        name="notBefore"
        kind="time"
        label={t('changes.schedule.notBefore')}
      />
      <TextField
        control={form.control}
        name="notAfter"
        kind="time"
        label={t('changes.schedule.notAfter')}
        help={t('changes.schedule.zone', { zone: timeZone })}
      />
    </FormDialog>
  )
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** A moment as the local time that the control takes; empty without one. */
function localText(at: string | number | undefined): string {
  if (at === undefined) return ''
  const moment = new Date(at)
  return new Date(moment.getTime() - moment.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16)
}

import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { BatchPlan } from '#contract/console-api/shapes.ts'
import { ApiError, type Call } from '../../../api/client.ts'
import { invalidateEndpoints } from '../../../api/query.ts'
import { useWrite } from '../../../api/write.ts'
import { paths } from '../../../addresses/paths.ts'
import { useSubmit } from '../../../forms/form/use-submit.ts'
import { reasonIn } from '../../../forms/form/use-zod-form.ts'
import { editsIn, type PropertyFormValues } from '../../../forms/property/property-edit.ts'
import { useText } from '../../../i18n/use-text.ts'
import { useSaveRequest } from '../../change-requests/edited-request.tsx'
import {
  needsReview,
  retitled,
  useRequestReview,
  withoutReview,
} from '../../change-requests/use-request-review.ts'
import { isOfGate } from '../../gate/use-gate.tsx'
import {
  emptyInput,
  useOperationForm,
  type OperationValues,
} from '../../operation-form/use-operation-form.ts'
import { useSettledEdits } from '../../plan/use-operation-plan.ts'
import { useSettled } from '../../plan/use-settled.ts'
import { batchRequestTitle } from '../batch-title.ts'
import { limitsIn, limitsOf, NO_LIMITS, type Limits } from '../batch-limits.ts'
import { initialEdits } from '../each-target.ts'
import { divisionIn } from '../typed-waves.ts'
import { useEnvironmentsOf } from './BatchLimits.tsx'
import type { MovedPlan } from './BatchPlanView.tsx'
import { batchBodyOf, movedIn, withoutDenied, type BatchBody } from './batch-body.ts'
import { choiceName } from './ChosenPropertyFields.tsx'
import { useBatchContent, type BatchStart } from './use-batch-content.ts'
import { batchPlanQuery } from './use-needed-values.ts'

export type BatchEntry = ReturnType<typeof useEntry>

/** A batch that is being prepared: what is entered, what it would do, and how it is sent. */
export function usePreparedBatch(start: BatchStart) {
  const entry = useEntry(start)
  const planned = usePlan(entry)
  return { entry, planned, request: useRequest(entry, planned) }
}

/** What is entered: what the batch does with which values, the reason, and the limits. */
function useEntry(start: BatchStart) {
  const t = useText()
  const { action, interrupted, again } = start
  const content = useBatchContent(start)
  const environments = useEnvironmentsOf(content.selected)
  const [typedLimits, setLimits] = useState(() =>
    again === undefined ? (start.limits ?? NO_LIMITS) : limitsOf(again.limits, environments),
  )
  const [count, setCount] = useState(interrupted?.count ?? '')
  const [isOverridden, setOverridden] = useState(false)
  const [input] = useState(() => ({
    ...emptyInput(),
    values: {
      edits: again?.edits ?? initialEdits(start.property),
      reason: interrupted?.reason ?? again?.reason ?? '',
    },
  }))
  const isDetaching = action === 'DETACH' || action === 'TAKEOVER'
  const missingReason = isOverridden
    ? t('freezes.override.reason')
    : isDetaching
      ? t('common.confirm.reasonMissing')
      : undefined
  return {
    ...useOperationForm(content.resources, input, missingReason),
    start,
    content,
    // if it is one for all targets
    shownAction: action === 'UPGRADE' && content.version.isDowngrade === 'all' ? 'DOWNGRADE' : action,
    isDetaching,
    missingReason,
    isOverridden,
    setOverridden,
    environments,
    // a single target has none, and their fields are hidden
    limits: content.targets.length < 2 ? NO_LIMITS : typedLimits,
    setLimits,
    /** As typed, to confirm what cannot be undone with the number of targets that it concerns. */
    count,
    setCount,
  } as const
}

/** What the batch would do, once nobody has typed for a moment. */
function usePlan({ start, content, form, limits, isOverridden, isDetaching, count }: BatchEntry) {
  const { action, edited } = start
  const settled = useSettledEdits(form)
  const bodyOf = (values: PropertyFormValues, { waves }: Limits): BatchBody | null =>
    batchBodyOf(
      { ...content, action, version: content.version.chosen, chosen: content.properties.chosen },
      editsIn(values),
      {
        waves: waves && divisionIn(waves),
        isOverridden: isOverridden && edited === undefined,
      },
    )
  const body = bodyOf(settled, useSettled(limits))
  const query = useQuery({ ...batchPlanQuery(body), placeholderData: keepPreviousData })
  const problemsOf = query.data?.items.map(({ problems }) => problems) ?? []
  const ready = problemsOf.filter((problems) => withoutReview(problems).length === 0).length
  return {
    edits: editsIn(settled),
    body,
    bodyOf,
    query,
    /** The number of targets that nothing refuses. */
    ready,
    isNothingReady: query.data !== undefined && !query.isPlaceholderData && ready === 0,
    /** Whether it can only be requested. */
    isGuarded: edited !== undefined || problemsOf.some(needsReview),
    isRestrained: problemsOf.some((problems) => needsReview(problems) || problems.some(isOfGate)),
    isCountMissing: isDetaching && ready > 0 && count.trim() !== String(ready),
  }
}

/** Sends the batch: to the change request that is edited, as a new one if it needs a review, or at once. */
function useRequest(
  { start, content, form, fieldOf, limits }: BatchEntry,
  { body, bodyOf, query, isGuarded, isCountMissing }: ReturnType<typeof usePlan>,
) {
  const t = useText()
  const navigate = useNavigate()
  const client = useQueryClient()
  const [isPlanUnseen, setPlanUnseen] = useState(false)
  const [refused, setRefused] = useState<{ body: BatchBody; moved: MovedPlan } | null>(null)
  const [review, request] = [useRequestReview(), useSaveRequest()]
  const create = useWrite('POST /batches', { invalidates: ['GET /batches'] })
  const titleOf = ({ items }: BatchPlan) => {
    const named = {
      targetVersion: content.version.chosen ?? null,
      properties: content.properties.chosen.map(({ choice }) => ({
        locator: '',
        property: choiceName(choice),
        after: null,
      })),
    }
    const ready = items.filter(({ problems }) => withoutReview(problems).length === 0)
    return batchRequestTitle({ action: start.action, input: named }, ready, t)
  }
  const [titleBefore, setTitleBefore] = useState<string | null>(null)
  // the first plan is of what the edited request asks for
  if (titleBefore === null && query.data !== undefined && !query.isPlaceholderData)
    setTitleBefore(titleOf(query.data))
  const isOfPlan = (one: BatchBody) => JSON.stringify(one) === JSON.stringify(body)
  const send = async (values: OperationValues) => {
    const wanted = bodyOf(values, limits)
    if (wanted === null || isCountMissing) return
    const empty = content.withoutValue(editsIn(values))
    if (empty !== undefined) {
      // a chosen property without a value would be left out of the batch without a word
      const message = t('batches.make.property.noValue', { property: choiceName(empty) })
      form.setError(`edits.${empty.field.id}`, { message }, { shouldFocus: true })
      return
    }
    // only a plan that the person has seen is carried out; the plan for what was just typed is on its way
    const isShown = !query.isFetching && isOfPlan(wanted)
    setPlanUnseen(!isShown)
    if (!isShown || query.data === undefined) return
    const plan = query.data
    const input = { ...withoutDenied(wanted, plan), ...limitsIn(limits) }
    const proposal = { kind: 'BATCH' as const, ...reasonIn(values), input }
    const title = titleOf(plan)
    if (start.edited !== undefined) {
      const titles = { before: titleBefore, now: title }
      return request.save(start.edited, { ...proposal, ...retitled(start.edited, titles) })
    }
    if (isGuarded) return review.request({ ...proposal, title }, { submit: true })
    try {
      const { batch } = await create.mutateAsync({
        // what detaches needs a reason, and the form is not sent without it
        body: { ...input, ...reasonIn(values), planToken: plan.planToken } as Call<'POST /batches'>['body'],
      })
      await navigate({ ...paths.batch(batch.batchId), ignoreBlocker: true })
    } catch (error) {
      if (error instanceof ApiError && error.problem.code === 'PLAN_STALE') {
        setRefused({ body: wanted, moved: { plan, targets: movedIn(error, input.targets) } })
        void invalidateEndpoints(client, ['POST /batches/plan'])
      }
      throw error
    }
  }
  return {
    submit: useSubmit(form, send, fieldOf),
    isPlanUnseen,
    /** The plan that was refused, if that of now is for the same request. */
    refused: refused !== null && isOfPlan(refused.body) ? refused.moved : undefined,
  }
}

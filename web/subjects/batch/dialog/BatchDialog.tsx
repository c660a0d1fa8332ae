import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import type { Batch, ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { ApiError, type Call } from '../../../api/client.ts'
import { invalidateEndpoints } from '../../../api/query.ts'
import { useWrite } from '../../../api/write.ts'
import { ReasonField } from '../../../forms/fields/ReasonField.tsx'
import { FormDialog } from '../../../forms/dialogs/FormDialog.tsx'
import { reasonIn } from '../../../forms/form/use-zod-form.ts'
import { useSubmit } from '../../../forms/form/use-submit.ts'
import { editsIn } from '../../../forms/property/property-edit.ts'
import { useMay } from '../../../api/session.ts'
import { EditedNotice, useSaveRequest } from '../../change-requests/edited-request.tsx'
import { isOfGate, OverrideChoice } from '../../gate/use-gate.tsx'
import { useText } from '../../../i18n/use-text.ts'
import { OperationFields } from '../../operation-form/OperationFields.tsx'
import { emptyInput, useOperationForm } from '../../operation-form/use-operation-form.ts'
import { paths } from '../../../addresses/paths.ts'
import { Field } from '../../../ui/Field.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Select } from '../../../ui/Select.tsx'
import { keepBatch, type InterruptedBatch } from '../../sign-in/interrupted-action.ts'
import { useSettledEdits } from '../../plan/use-operation-plan.ts'
import { needsSignIn, SignInAgain } from '../../sign-in/SignInAgain.tsx'
import { batchPlanQuery } from './use-needed-values.ts'
import { needsReview, useRequestReview, withoutReview } from '../../change-requests/use-request-review.ts'
import { divisionIn } from '../typed-waves.ts'
import { useSettled } from '../../plan/use-settled.ts'
import { BatchLimits } from './BatchLimits.tsx'
import { useEnvironmentsOf, WavesField } from './WavesField.tsx'
import { batchBodyOf } from './batch-body.ts'
import {
  BATCH_TARGETS_MAX,
  invalidLimits,
  limitsIn,
  limitsOf,
  NO_LIMITS,
  type Limits,
} from '../batch-limits.ts'
import { BatchPlanView, type DefinitionOf, type MovedPlan } from './BatchPlanView.tsx'
import type { Again } from '../again.ts'
import { scopeOf, type BatchTarget } from '../bundle-targets.ts'
import { EACH_MAX, initialEdits, type BatchProperty } from '../each-target.ts'
import { scopeTarget, type InstalledBundle } from '../install-input.ts'
import { BundleField, CountField, DetachNotice, MarkedTargets, RetryNotice } from './BatchNotices.tsx'
import { NeededChoices } from './NeededChoices.tsx'
import { ChosenPropertyFields, EachChoice, nameOf } from './ChosenPropertyFields.tsx'
import { ScopesField } from './ScopesField.tsx'
import { asRequested, movedIn, withoutDenied, type BatchBody } from './refused-targets.ts'
import { useBatchContent } from './use-batch-content.ts'

export type { BatchTarget } from '../bundle-targets.ts'

const PLAN = 'POST /batches/plan'

/**
 * Prepares one action over many targets: what to do, within which limits, and what will happen to each. The targets are
 * those at the time of opening: the list behind the dialog may refetch.
 */
export function BatchDialog({
  action,
  targets: all,
  limits: initialLimits = NO_LIMITS,
  interrupted,
  property: given,
  install,
  again,
  edited,
  onClose,
}: {
  action: Batch['action']
  /** Of an INSTALL, the scopes to begin with. */
  targets: readonly BatchTarget[]
  /** The limits to begin with; the person can change them. */
  limits?: Limits
  /** What the person had entered before they signed in again. */
  interrupted?: InterruptedBatch
  /** Of a CONFIGURE: the property that is set, if the person has chosen it already. */
  property?: BatchProperty
  /** Of an INSTALL. */
  install?: InstalledBundle
  /** An earlier batch, to begin with what it was made with. */
  again?: Again
  /** The change request that is edited; the batch begins with what it asks for, as `again`. */
  edited?: ChangeRequestDetail
  onClose: () => void
}) {
  const t = useText()
  const navigate = useNavigate()
  const client = useQueryClient()
  const noticeId = useId()
  const isDetaching = action === 'DETACH' || action === 'TAKEOVER'
  const isUpgrade = action === 'UPGRADE'
  const isInstall = action === 'INSTALL'
  const content = useBatchContent(action, all, { given, install, again })
  const { selected, targets, bundle, version, needed, properties, resources, isEach } = content
  const environments = useEnvironmentsOf(selected)
  const [typedLimits, setLimits] = useState(() =>
    again === undefined ? initialLimits : limitsOf(again.limits, environments),
  )
  // a single target has none, and their fields are hidden
  const limits = targets.length < 2 ? NO_LIMITS : typedLimits
  const [typedCount, setTypedCount] = useState(interrupted?.count ?? '')
  const [input] = useState(() => ({
    ...emptyInput(),
    values: {
      edits: again?.edits ?? initialEdits(given),
      reason: interrupted?.reason ?? again?.reason ?? '',
    },
  }))
  const [isOverridden, setOverridden] = useState(false)
  const mayOverride = useMay('change:override', 'anywhere')
  const missingReason = isOverridden
    ? t('freezes.override.reason')
    : isDetaching
      ? t('common.confirm.reasonMissing')
      : undefined
  const { form, isDirty, invalid, fieldOf } = useOperationForm(resources, input, missingReason)
  const settled = useSettledEdits(form)

  // if it is one for all of them
  const shownAction = action === 'UPGRADE' && version.isDowngrade === 'all' ? 'DOWNGRADE' : action
  const bodyOf = (values: Parameters<typeof editsIn>[0], { waves }: Limits): BatchBody | null =>
    batchBodyOf({ ...content, action, version: version.chosen, chosen: properties.chosen }, editsIn(values), {
      waves: waves && divisionIn(waves),
      isOverridden: isOverridden && edited === undefined,
    })
  const settledLimits = useSettled(limits)
  const body = bodyOf(settled, settledLimits)
  const plan = useQuery({
    ...batchPlanQuery(body),
    placeholderData: keepPreviousData,
  })
  const definitionOf: DefinitionOf = (locator, property) =>
    isUpgrade
      ? needed.resources
          .find((resource) => resource.locator === locator)
          ?.fields.find((field) => field.property === property)?.definition
      : properties.definitionOf(locator, property)
  const [isPlanUnseen, setPlanUnseen] = useState(false)
  const [refused, setRefused] = useState<{ body: BatchBody; moved: MovedPlan } | null>(null)
  const isGuarded =
    edited !== undefined || plan.data?.items.some(({ problems }) => needsReview(problems)) === true
  const isRestrained =
    plan.data?.items.some(({ problems }) => needsReview(problems) || problems.some(isOfGate)) === true
  const ready = plan.data?.items.filter(({ problems }) => withoutReview(problems).length === 0).length ?? 0
  // a missing value is named by its field
  const isMissingValue = resources.some(({ fields }) =>
    fields.some(({ id, isNeeded }) => isNeeded && !editsIn(settled).has(id)),
  )
  // what cannot be undone is confirmed with the number of targets that it concerns
  const count = String(ready)
  const withoutValueIn = (values: Parameters<typeof editsIn>[0]) =>
    properties.chosen.find(
      ({ isEach: isForEach, choice }) =>
        // a required one is named by its field
        !isForEach && !(isInstall && choice.field.isNeeded) && !editsIn(values).has(choice.field.id),
    )
  const withoutValue = withoutValueIn(settled)
  const isCountMissing = isDetaching && ready > 0 && typedCount.trim() !== count
  const isNothingReady = plan.data !== undefined && !plan.isPlaceholderData && ready === 0
  const [review, request] = [useRequestReview(), useSaveRequest()]
  const create = useWrite('POST /batches', { invalidates: ['GET /batches'] })
  const submit = useSubmit(
    form,
    async (values) => {
      const wanted = bodyOf(values, limits)
      if (wanted === null) return
      const isShown = !plan.isFetching && JSON.stringify(wanted) === JSON.stringify(body)
      if (isCountMissing) return
      const empty = withoutValueIn(values)
      if (empty !== undefined) {
        // a chosen property without a value would be left out of the batch without a word
        const message = t('batches.make.property.noValue', { property: nameOf(empty.choice) })
        form.setError(`edits.${empty.choice.field.id}`, { message }, { shouldFocus: true })
        return
      }
      // only a plan that the person has seen is carried out; the plan for what was just typed is on its way
      setPlanUnseen(!isShown)
      if (!isShown || plan.data === undefined) return
      if (isGuarded) {
        const title = t('changes.title.batch', { kind: t(`selection.action.${shownAction}`), n: ready })
        const input = { ...withoutDenied(wanted, plan.data), ...limitsIn(limits) }
        if (edited !== undefined) return request.save(edited, { kind: 'BATCH', ...reasonIn(values), input })
        return review.request({ kind: 'BATCH', title, ...reasonIn(values), input }, { submit: true })
      }
      try {
        const { batch } = await create.mutateAsync({
          // what detaches needs a reason, and the form is not sent without it
          body: {
            ...withoutDenied(wanted, plan.data),
            ...limitsIn(limits),
            ...reasonIn(values),
            planToken: plan.data.planToken,
          } as Call<'POST /batches'>['body'],
        })
        await navigate({ ...paths.batch(batch.batchId), ignoreBlocker: true })
      } catch (error) {
        if (error instanceof ApiError && error.problem.code === 'PLAN_STALE') {
          const sent = withoutDenied(wanted, plan.data).targets
          const moved = movedIn(error, sent)
          setRefused({ body: wanted, moved: { plan: plan.data, targets: moved } })
          void invalidateEndpoints(client, [PLAN])
        }
        throw error
      }
    },
    fieldOf,
  )
  const reason = form.watch('reason')

  return (
    <FormDialog
      form={form}
      {...submit}
      size="lg"
      title={t(`batches.make.title.${shownAction}`, { n: targets.length, bundle: install?.title ?? '' })}
      describedBy={isDetaching ? noticeId : undefined}
      danger={isDetaching}
      submit={
        edited !== undefined
          ? t('changes.editing.save')
          : isGuarded
            ? t('changes.submit')
            : // a number only when it is known: that of an earlier plan would be wrong for a moment
              ready === 0 || plan.isPlaceholderData
              ? t(`selection.action.${shownAction}`)
              : t(`batches.make.start.${shownAction}`, { n: ready })
      }
      isDirty={isDirty}
      blockedReason={
        (invalidLimits(limits).size > 0 && t('batches.make.limits.invalid')) ||
        (isNothingReady && !isMissingValue && t('batches.make.nothing'))
      }
      incompleteReason={
        (isInstall && targets.length === 0 && t('batches.make.scopes.none')) ||
        (properties.isUnknown && t('batches.make.property.none')) ||
        (body === null && invalid === 0 && t('batches.make.incomplete')) ||
        (body !== null &&
          withoutValue !== undefined &&
          t('batches.make.property.noValue', { property: nameOf(withoutValue.choice) })) ||
        (isNothingReady && t('batches.make.nothing')) ||
        (reason.trim() === '' && missingReason) ||
        (isCountMissing && t('common.confirm.type', { word: count }))
      }
      errorActions={
        needsSignIn(submit.error?.error.problem.code) && (
          <SignInAgain
            keep={(personId) =>
              keepBatch(personId, { targets, reason, limits: typedLimits, count: typedCount })
            }
          />
        )
      }
      footerNote={<MarkedTargets targets={targets} />}
      onClose={onClose}
    >
      {interrupted !== undefined && <Notice icon="info">{t('common.signInAgain.resumed')}</Notice>}
      {edited !== undefined && <EditedNotice request={edited} />}
      {(isOverridden || (isRestrained && mayOverride)) && edited === undefined && (
        <Notice tone="warn" icon="lock">
          <p>{t('batches.make.override')}</p>
          <OverrideChoice isChosen={isOverridden} onChoose={setOverridden} />
        </Notice>
      )}
      {isGuarded && edited === undefined && <Notice icon="review">{t('batches.make.review')}</Notice>}
      {again?.hasHidden === true && <Notice icon="info">{t('batches.again.hidden')}</Notice>}
      {isUpgrade && content.bundles.length > 1 && (
        <BundleField bundles={content.bundles} value={content.bundleKey} onChange={content.chooseBundle} />
      )}
      {install !== undefined && (
        <ScopesField
          scopes={selected.map(scopeOf)}
          max={BATCH_TARGETS_MAX}
          onChange={(scopes) => content.select(scopes.map((scope) => scopeTarget(scope, install)))}
        />
      )}
      {bundle !== undefined && (
        <Field
          label={t(isInstall ? 'installations.install.version' : 'batches.make.version')}
          className="w-56"
        >
          {(wiring) => (
            <Select
              {...wiring}
              className="mono"
              value={version.chosen ?? ''}
              options={version.options}
              onChange={(event) => version.choose(event.target.value)}
            />
          )}
        </Field>
      )}
      {version.isDowngrade !== 'none' && (
        <Notice tone="warn">
          {t(version.isDowngrade === 'all' ? 'batches.make.downgrade.all' : 'batches.make.downgrade')}
        </Notice>
      )}
      {content.hasChoice && (
        <ChosenPropertyFields properties={properties} targets={targets} control={form.control} />
      )}
      {isUpgrade && targets.length > EACH_MAX && (
        <p className="text-muted">{t('batches.make.each.tooMany', { max: EACH_MAX })}</p>
      )}
      {content.canBeEach && targets.length > 1 && (
        <EachChoice isEach={isEach} count={targets.length} onChange={content.setEach} />
      )}
      {isUpgrade && targets[0] && resources.length > 0 && (
        <OperationFields
          key={`${isEach}`}
          control={form.control}
          resources={resources}
          scope={scopeOf(targets[0])}
          fold={false}
        />
      )}
      {isUpgrade && !isEach && <NeededChoices needed={needed} count={targets.length} />}
      {isDetaching && <DetachNotice id={noticeId} action={action} plan={plan.data} count={targets.length} />}
      {action === 'RETRY' && <RetryNotice plan={plan.data} />}
      <ReasonField
        control={form.control}
        label={t('batches.make.reason')}
        need={missingReason !== undefined ? 'required' : 'optional'}
      />
      {body !== null && (
        <BatchPlanView
          action={action}
          plan={isGuarded ? plan.data && asRequested(plan.data) : plan.data}
          isRequested={isGuarded}
          error={plan.error}
          definitionOf={definitionOf}
          isChecking={plan.isFetching}
          isStale={plan.isPlaceholderData}
          isTouched={(editsIn(settled).size > 0 && !plan.isPlaceholderData) || form.formState.isSubmitted}
          earlier={
            refused !== null && JSON.stringify(refused.body) === JSON.stringify(body)
              ? refused.moved
              : undefined
          }
          onRetry={() => void plan.refetch()}
          targetVersion={version.chosen}
        />
      )}
      <BatchLimits value={limits} onChange={setLimits} count={targets.length} />
      <WavesField
        value={limits.waves}
        environments={environments}
        count={targets.length}
        onChange={(waves) => setLimits({ ...typedLimits, waves })}
      />
      {isDetaching && ready > 0 && <CountField count={count} value={typedCount} onChange={setTypedCount} />}
      {isPlanUnseen && (
        <Notice tone="info" live>
          {t('batches.make.unseen')}
        </Notice>
      )}
    </FormDialog>
  )
}

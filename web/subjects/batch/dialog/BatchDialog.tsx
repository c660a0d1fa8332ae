import { useId } from 'react'
import { useMay } from '../../../api/session.ts'
import { FormDialog } from '../../../forms/dialogs/FormDialog.tsx'
import { ReasonField } from '../../../forms/fields/ReasonField.tsx'
import { useText } from '../../../i18n/use-text.ts'
import { Field } from '../../../ui/Field.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Select } from '../../../ui/Select.tsx'
import { EditedNotice } from '../../change-requests/edited-request.tsx'
import { OverrideChoice } from '../../gate/use-gate.tsx'
import { OperationFields } from '../../operation-form/OperationFields.tsx'
import { keepBatch } from '../../sign-in/interrupted-action.ts'
import { needsSignIn, SignInAgain } from '../../sign-in/SignInAgain.tsx'
import { BATCH_TARGETS_MAX, invalidLimits } from '../batch-limits.ts'
import { scopeOf } from '../bundle-targets.ts'
import { EACH_MAX } from '../each-target.ts'
import { scopeTarget } from '../install-input.ts'
import { BatchLimits } from './BatchLimits.tsx'
import { BundleField, CountField, DetachNotice, MarkedTargets, RetryNotice } from './BatchNotices.tsx'
import { BatchPlanView } from './BatchPlanView.tsx'
import { ChosenPropertyFields, EachChoice, choiceName } from './ChosenPropertyFields.tsx'
import { NeededChoices } from './NeededChoices.tsx'
import { ScopesField } from './ScopesField.tsx'
import type { BatchStart } from './use-batch-content.ts'
import { usePreparedBatch, type BatchEntry } from './use-prepared-batch.ts'

export type { BatchTarget } from '../bundle-targets.ts'

type Prepared = ReturnType<typeof usePreparedBatch>

/** Prepares one action over many targets: what to do, within which limits, and what will happen to each. */
export function BatchDialog({ onClose, ...start }: BatchStart & { onClose: () => void }) {
  const t = useText()
  const noticeId = useId()
  const batch = usePreparedBatch(start)
  const { entry, planned, request } = batch
  const { action } = start
  const { form, content, isDetaching, missingReason, limits } = entry
  const { targets } = content
  const { query, ready, isGuarded } = planned
  const reason = form.watch('reason')
  const keep = (personId: string) => keepBatch(personId, { targets, reason, limits, count: entry.count })
  return (
    <FormDialog
      form={form}
      {...request.submit}
      size="lg"
      title={t(`batches.make.title.${entry.shownAction}`, {
        n: targets.length,
        bundle: start.install?.title ?? '',
      })}
      describedBy={isDetaching ? noticeId : undefined}
      danger={isDetaching}
      submit={useSubmitLabel(batch)}
      isDirty={entry.isDirty}
      blockedReason={
        (invalidLimits(limits).size > 0 && t('batches.make.limits.invalid')) ||
        // a missing value is named by its field
        (planned.isNothingReady && !content.isMissingValue(planned.edits) && t('batches.make.nothing'))
      }
      incompleteReason={useWhatIsMissing(batch, reason)}
      errorActions={needsSignIn(request.submit.error?.error.problem.code) && <SignInAgain keep={keep} />}
      footerNote={<MarkedTargets targets={targets} />}
      onClose={onClose}
    >
      <Notices {...batch} />
      <ContentFields entry={entry} />
      {(action === 'DETACH' || action === 'TAKEOVER') && (
        <DetachNotice id={noticeId} action={action} plan={query.data} count={targets.length} />
      )}
      {action === 'RETRY' && <RetryNotice plan={query.data} />}
      <ReasonField
        control={form.control}
        label={t('batches.make.reason')}
        need={missingReason !== undefined ? 'required' : 'optional'}
      />
      {/* before the plan, which shows the wave of each target */}
      <BatchLimits
        value={limits}
        onChange={entry.setLimits}
        count={targets.length}
        environments={entry.environments}
      />
      {planned.body !== null && (
        <BatchPlanView
          action={action}
          query={query}
          isRequested={isGuarded}
          definitionOf={content.definitionOf}
          isTouched={(planned.edits.size > 0 && !query.isPlaceholderData) || form.formState.isSubmitted}
          earlier={request.refused}
          targetVersion={content.version.chosen}
        />
      )}
      {isDetaching && ready > 0 && (
        <CountField count={String(ready)} value={entry.count} onChange={entry.setCount} />
      )}
      {request.isPlanUnseen && (
        <Notice tone="info" live>
          {t('batches.make.unseen')}
        </Notice>
      )}
    </FormDialog>
  )
}

function useSubmitLabel({ entry: { start, shownAction }, planned }: Prepared): string {
  const t = useText()
  const { query, ready, isGuarded } = planned
  if (start.edited !== undefined) return t('changes.editing.save')
  if (isGuarded) return t('changes.submit')
  // a number only when it is known: that of an earlier plan would be wrong for a moment
  return ready === 0 || query.isPlaceholderData
    ? t(`selection.action.${shownAction}`)
    : t(`batches.make.start.${shownAction}`, { n: ready })
}

/** The first thing that is missing, in the order of the dialog. */
function useWhatIsMissing({ entry, planned }: Prepared, reason: string): string | false {
  const t = useText()
  const { start, content, missingReason, invalid } = entry
  const { body, edits, ready } = planned
  const empty = body === null ? undefined : content.withoutValue(edits)
  return (
    (start.action === 'INSTALL' && content.targets.length === 0 && t('batches.make.scopes.none')) ||
    (content.properties.isUnknown && t('batches.make.property.none')) ||
    (body === null && invalid === 0 && t('batches.make.incomplete')) ||
    (empty !== undefined && t('batches.make.property.noValue', { property: choiceName(empty) })) ||
    (planned.isNothingReady && t('batches.make.nothing')) ||
    (reason.trim() === '' && missingReason) ||
    (planned.isCountMissing && t('common.confirm.type', { word: String(ready) }))
  )
}

/** What to know before the fields: where the batch comes from, and what stands in its way. */
function Notices({ entry, planned: { isGuarded, isRestrained } }: Prepared) {
  const t = useText()
  const mayOverride = useMay('change:override', 'anywhere')
  const { start, isOverridden, setOverridden } = entry
  const { interrupted, edited, again } = start
  return (
    <>
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
    </>
  )
}

/** What the batch does: to which targets, to which version, with which values. */
function ContentFields({ entry: { start, content, form } }: { entry: BatchEntry }) {
  const t = useText()
  const { install } = start
  const { bundles, targets, version, properties, isEach, resources } = content
  const isUpgrade = start.action === 'UPGRADE'
  return (
    <>
      {isUpgrade && bundles.length > 1 && (
        <BundleField bundles={bundles} value={content.bundleKey} onChange={content.chooseBundle} />
      )}
      {install !== undefined && (
        <ScopesField
          scopes={content.selected.map(scopeOf)}
          max={BATCH_TARGETS_MAX}
          onChange={(scopes) => content.select(scopes.map((scope) => scopeTarget(scope, install)))}
        />
      )}
      {content.bundle !== undefined && (
        <Field
          label={t(isUpgrade ? 'batches.make.version' : 'installations.install.version')}
          className="w-56"
        >
          {(wiring) => (
            <Select
              {...wiring}
              className="mono"
              value={version.chosen ?? ''}
              placeholder={version.chosen === undefined ? t('installations.upgrade.choose') : undefined}
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
      {isUpgrade && !isEach && <NeededChoices needed={content.needed} count={targets.length} />}
    </>
  )
}

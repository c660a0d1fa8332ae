import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import type { ChangeRequestDetail, InstallationDetail } from '#contract/console-api/shapes.ts'
import { isDowngrade } from '#contract/protocol/version-order.ts'
import { useMay } from '../../../api/session.ts'
import { useWrite } from '../../../api/write.ts'
import type { Manifest } from '../../../subjects/manifest/writers.ts'
import {
  EditedNotice,
  fieldsOf,
  hiddenIn,
  useSaveRequest,
  withHidden,
  withKept,
} from '../../../subjects/change-requests/edited-request.tsx'
import { ShareDraft } from '../../../subjects/change-requests/ShareDraft.tsx'
import {
  needsReview,
  useRequestReview,
  type Proposal,
} from '../../../subjects/change-requests/use-request-review.ts'
import { scopeText } from '../../../subjects/scopes/scope-text.ts'
import { OperationPlanView } from '../../../subjects/plan/OperationPlanView.tsx'
import { useOperationPlan, useSettledEdits } from '../../../subjects/plan/use-operation-plan.ts'
import { ReasonField } from '../../../forms/fields/ReasonField.tsx'
import { reasonIn } from '../../../forms/form/use-zod-form.ts'
import { FormPage } from '../../../forms/dialogs/FormPage.tsx'
import { LeaveGuard } from '../../../forms/form/LeaveGuard.tsx'
import { useSubmit } from '../../../forms/form/use-submit.ts'
import type { FieldId } from '../../../forms/property/property-place.ts'
import { editsIn, FormEdit, type PropertyFormValues } from '../../../forms/property/property-edit.ts'
import { useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { Section } from '../../../ui/Card.tsx'
import { LinkButton } from '../../../ui/Link.tsx'
import { showToast } from '../../../ui/toast.ts'
import { unavailableReason } from '../detail/unavailable-reason.ts'
import { cx } from '../../../ui/class-names.ts'
import { FormDocument, useFormDocumentToggle } from '../../../subjects/operation-form/FormDocument.tsx'
import { OperationFields } from '../../../subjects/operation-form/OperationFields.tsx'
import { changesOf, upgradeForm } from '../../../subjects/operation-form/property-form.ts'
import { useGate } from '../../../subjects/gate/use-gate.tsx'
import { needsSignIn, SignInAgain } from '../../../subjects/sign-in/SignInAgain.tsx'
import { RestoredNotice } from '../../../subjects/operation-form/RestoredNotice.tsx'
import { useFormDraft } from '../../../subjects/operation-form/use-form-draft.ts'
import {
  useOperationForm,
  type OperationInput,
  type OperationValues,
} from '../../../subjects/operation-form/use-operation-form.ts'
import { UpgradeMerge } from './UpgradeMerge.tsx'

/** Owned by the page, because choosing another target replaces the form. */
export interface EnteredValues {
  input: OperationInput
  /** The snapshot that the values are based on; null if nothing was entered. */
  base: number | null
  onBase: (base: number | null) => void
  /** The change request whose upgrade this is, with its values in `input`. */
  edited?: ChangeRequestDetail | null
}

/** The values that the target needs. Starting the upgrade opens its operation. */
export function UpgradeForm({
  detail,
  manifest,
  input,
  base,
  onBase,
  edited = null,
}: EnteredValues & {
  detail: InstallationDetail
  manifest: Manifest
}) {
  const t = useText()
  const navigate = useNavigate()
  const { installation, snapshotVersion } = detail
  const { bundleInstallId } = installation
  const resources = useResources(manifest, detail, edited)
  const draft = useFormDraft(
    {
      title: detail.title ?? installation.bundle.bundleId,
      place: edited === null ? { kind: 'UPGRADE', bundleInstallId, version: manifest.version } : null,
    },
    resources,
    input,
  )
  // restored values keep the snapshot that they are based on
  const restoredBase = draft.restored?.base ?? null
  const keep = (values: OperationValues) =>
    draft.keep({ values }, editsIn(values).size === 0 ? null : (base ?? restoredBase ?? snapshotVersion))
  const { form, clear, hasEdits, isSensitiveTyped, invalid, fieldOf } = useOperationForm(
    resources,
    input,
    undefined,
    {
      initial: draft.initial,
      onInput: keep,
    },
  )
  useEffect(() => {
    if (hasEdits === (base === null)) onBase(hasEdits ? (restoredBase ?? snapshotVersion) : null)
  }, [hasEdits, base, onBase, snapshotVersion, restoredBase])
  const json = useFormDocumentToggle()
  const isStale = base !== null && base !== snapshotVersion
  const isOlder = isDowngrade(detail.version, manifest.version)

  const may = useMay('installation:upgrade', installation)
  const notNow = unavailableReason(detail)
  const gate = useGate(installation, 'UPGRADE')
  const upgrade = useWrite('POST /installations/{bundleInstallId}/upgrade', {
    invalidates: ['GET /installations', 'GET /installations/{bundleInstallId}', 'GET /operations'],
  })
  const bodyOf = (values: PropertyFormValues) => {
    const properties = changesOf(resources, editsIn(values))
    return {
      targetVersion: manifest.version,
      ...(Object.keys(properties).length > 0 && { properties, snapshotVersion: base ?? snapshotVersion }),
    }
  }
  const settled = useSettledEdits(form, (id) =>
    resources.some(({ fields }) =>
      fields.some((field) => field.id === id && field.definition.isSensitive === true),
    ),
  )
  // a plan without the values that the request keeps would miss them
  const hasHidden = edited !== null && hiddenIn(edited).length > 0
  const planned = useOperationPlan(
    'POST /installations/{bundleInstallId}/upgrade/plan',
    may && !hasHidden ? { params: { bundleInstallId }, body: bodyOf(settled) } : null,
  )
  const proposalOf = (values: OperationValues): Proposal => {
    const { snapshotVersion: _, ...given } = bodyOf(values)
    const title = t('changes.title.version', {
      kind: t('changes.kind.UPGRADE'),
      bundle: detail.title ?? installation.bundle.bundleId,
      version: manifest.version,
      scope: scopeText(scopeOf(detail)),
    })
    return { kind: 'UPGRADE', title, ...reasonIn(values), input: { bundleInstallId, ...given } }
  }
  const review = useRequestReview()
  const request = useSaveRequest()
  const isGuarded = needsReview(planned.plan?.problems) && !gate.isOverriding
  const submit = useSubmit(
    form,
    async (values) => {
      if (edited !== null) {
        const { targetVersion, properties = {} } = bodyOf(values)
        const kept = withHidden(properties, edited)
        return request.save(edited, {
          kind: 'UPGRADE',
          ...reasonIn(values),
          input: {
            bundleInstallId,
            targetVersion,
            ...(Object.keys(kept).length > 0 && { properties: kept }),
          },
        })
      }
      if (isGuarded)
        return review.request(proposalOf(values), { submit: true, beforeLeaving: () => draft.remove() })
      const { operation } = await planned.send(
        { params: { bundleInstallId }, body: bodyOf(values) },
        (token) =>
          upgrade.mutateAsync({
            params: { bundleInstallId },
            body: { ...bodyOf(values), ...reasonIn(values), ...token, ...gate.override },
          }),
      )
      draft.remove()
      await navigate({ ...paths.operation(operation.operationId), ignoreBlocker: true })
    },
    fieldOf,
  )

  return (
    <FormPage
      form={form}
      onSubmit={submit.onSubmit}
      busy={submit.busy}
      error={submit.error}
      submit={
        edited !== null
          ? t('changes.editing.save')
          : isGuarded
            ? t('changes.submit')
            : t(isOlder ? 'installations.downgrade.submit' : 'installations.upgrade.submit', {
                version: manifest.version,
              })
      }
      invalid={invalid}
      blockedReason={
        (edited === null && !may && t('installations.reason.permission.upgrade')) ||
        (edited === null && notNow && t(notNow)) ||
        (isStale && t('installations.upgrade.stale.title')) ||
        (edited === null && !isGuarded && gate.blocked)
      }
      actions={
        <>
          {edited === null && (
            <ShareDraft
              form={form}
              scope={installation}
              proposalOf={proposalOf}
              blockedReason={isStale && t('installations.upgrade.stale.title')}
              onShared={() => draft.remove()}
            />
          )}
          <LinkButton to={paths.installation(bundleInstallId)} className="max-sm:hidden">
            {t('common.cancel')}
          </LinkButton>
        </>
      }
      errorActions={(code) => needsSignIn(code) && <SignInAgain keep={() => true} />}
      className="space-y-4"
    >
      {edited === null ? may && gate.choice : <EditedNotice request={edited} />}
      <RestoredNotice draft={draft} onClear={clear} />
      <Section
        title={t('installations.upgrade.values')}
        description={t(
          resources.length === 0 ? 'installations.upgrade.values.none' : 'installations.upgrade.values.about',
        )}
        actions={resources.length > 0 && json.button}
        flush
      >
        {resources.length > 0 && (
          <div className={cx(json.isOpen && 'grid gap-8 xl:grid-cols-2')}>
            <OperationFields
              control={form.control}
              resources={resources}
              scope={scopeOf(detail)}
              fold={false}
            />
            {json.isOpen && <FormDocument form={form} resources={resources} />}
          </div>
        )}
      </Section>
      {isStale && (
        <UpgradeMerge
          key={snapshotVersion}
          scope={scopeOf(detail)}
          base={base}
          snapshotVersion={snapshotVersion}
          resources={resources}
          edits={editsIn(settled)}
          onMove={(changed) => {
            const edits = changed(editsIn(form.getValues()))
            if (edits === null) return
            for (const [id, edit] of edits) {
              const options = { shouldDirty: true, shouldValidate: true }
              form.setValue(`edits.${id}`, edit && new FormEdit(edit), options)
            }
            onBase(snapshotVersion)
            draft.keep({ values: form.getValues() }, snapshotVersion)
            // its base no longer counts, for what is typed later either
            draft.dismiss()
            submit.clearError()
            const text = t('installations.upgrade.merged', { snapshot: String(snapshotVersion) })
            showToast({ tone: 'info', text })
          }}
        />
      )}
      {may && !hasHidden && (
        <Section title={t('plans.title')} flush>
          <OperationPlanView state={planned} isAtField={(problem) => fieldOf(problem) !== null} />
        </Section>
      )}
      <ReasonField
        control={form.control}
        label={t(isOlder ? 'installations.downgrade.reason' : 'installations.upgrade.reason')}
        className="max-w-2xl"
      />
      <LeaveGuard
        isDirty={isSensitiveTyped}
        isSamePage={({ pathname, search }) =>
          pathname === `/installations/${bundleInstallId}` && Reflect.get(search, 'action') === 'upgrade'
        }
      />
    </FormPage>
  )
}

/** The fields of the upgrade. A displayed field stays even if others save meanwhile. */
function useResources(
  manifest: Manifest,
  { resources: installed }: InstallationDetail,
  edited: ChangeRequestDetail | null,
) {
  const [shown, setShown] = useState<ReadonlySet<FieldId>>(
    () => new Set(edited === null ? [] : fieldsOf(edited)),
  )
  const resources = useMemo(
    () => withKept(upgradeForm(manifest, installed, shown), edited),
    [manifest, installed, shown, edited],
  )
  const ids = resources.flatMap(({ fields }) => fields.map(({ id }) => id))
  if (ids.some((id) => !shown.has(id))) setShown(new Set([...shown, ...ids]))
  return resources
}

function scopeOf({ installation }: InstallationDetail) {
  const { environmentKey, applicationRuntimeId, workspaceId } = installation
  return { environmentKey, applicationRuntimeId, workspaceId }
}

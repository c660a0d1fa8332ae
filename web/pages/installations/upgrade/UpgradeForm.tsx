import { useEffect, useMemo, useState } from 'react'
import type { ChangeRequestDetail, InstallationDetail } from '#contract/console-api/shapes.ts'
import { isDowngrade } from '#contract/protocol/version-order.ts'
import { useMay } from '../../../api/session.ts'
import { useWrite } from '../../../api/write.ts'
import type { Manifest } from '../../../subjects/manifest/writers.ts'
import {
  fieldsOf,
  isOfRequest,
  keepsHidden,
  withKept,
} from '../../../subjects/change-requests/edited-request.tsx'
import { scopeText } from '../../../subjects/scopes/scope-text.ts'
import { useOperationPlan, useSettledEdits } from '../../../subjects/plan/use-operation-plan.ts'
import { reasonIn } from '../../../forms/form/use-zod-form.ts'
import { LeaveGuard } from '../../../forms/form/LeaveGuard.tsx'
import type { FieldId } from '../../../forms/property/property-place.ts'
import {
  editsIn,
  FormEdit,
  type Edit,
  type PropertyFormValues,
} from '../../../forms/property/property-edit.ts'
import { useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { Section } from '../../../ui/Card.tsx'
import { showToast } from '../../../ui/toast.ts'
import { unavailableReason } from '../detail/unavailable-reason.ts'
import { cx } from '../../../ui/class-names.ts'
import { FormDocument, useFormDocumentToggle } from '../../../subjects/operation-form/FormDocument.tsx'
import { OperationFields } from '../../../subjects/operation-form/OperationFields.tsx'
import { changesOf, upgradeForm, type Edits } from '../../../subjects/operation-form/property-form.ts'
import { useGate } from '../../../subjects/gate/use-gate.tsx'
import { OperationFormPage, useOperationRequest } from '../form/OperationFormPage.tsx'
import { useFormDraft } from '../../../subjects/operation-form/use-form-draft.ts'
import { useOperationForm, type OperationInput } from '../../../subjects/operation-form/use-operation-form.ts'
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

interface UpgradeProps extends EnteredValues {
  detail: InstallationDetail
  manifest: Manifest
}

/** The values that the target needs. Starting the upgrade opens its operation. */
export function UpgradeForm(upgrade: UpgradeProps) {
  const { detail, manifest, base, onBase } = upgrade
  const t = useText()
  const { snapshotVersion, installation } = detail
  const { bundleInstallId } = installation
  const { resources, draft, entered } = useUpgradeValues(upgrade)
  const { form } = entered
  const { operation, settled } = useUpgrade(upgrade, { resources, draft, entered })
  const json = useFormDocumentToggle()
  const isStale = base !== null && base !== snapshotVersion
  const isOlder = isDowngrade(detail.version, manifest.version)
  const move = (changed: (entered: Edits) => ReadonlyMap<FieldId, Edit | null> | null) => {
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
    operation.submit.clearError()
    const text = t('installations.upgrade.merged', { snapshot: String(snapshotVersion) })
    showToast({ tone: 'info', text })
  }

  return (
    <OperationFormPage
      operation={operation}
      action={t(isOlder ? 'installations.downgrade.submit' : 'installations.upgrade.submit', {
        version: manifest.version,
      })}
      reason={t(isOlder ? 'installations.downgrade.reason' : 'installations.upgrade.reason')}
      refused={isStale && t('installations.upgrade.stale.title')}
      cancel={paths.installation(bundleInstallId)}
    >
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
          onMove={move}
        />
      )}
      <LeaveGuard
        isDirty={operation.hasUnkept}
        isSamePage={({ pathname, search }) =>
          pathname === `/installations/${bundleInstallId}` &&
          Reflect.get(search, 'action') === 'upgrade' &&
          isOfRequest(search, upgrade.edited)
        }
      />
    </OperationFormPage>
  )
}

/** What is entered, kept in this browser with the snapshot that it is based on. */
function useUpgradeValues({ detail, manifest, input, base, onBase, edited = null }: UpgradeProps) {
  const { installation, snapshotVersion } = detail
  const { bundleInstallId, bundle } = installation
  const resources = useResources(manifest, detail, edited)
  const draft = useFormDraft(
    {
      title: detail.title ?? bundle.bundleId,
      place: edited === null ? { kind: 'UPGRADE', bundleInstallId, version: manifest.version } : null,
    },
    resources,
    input,
  )
  // restored values keep the snapshot that they are based on
  const firstBase = draft.restored?.base ?? snapshotVersion
  const entered = useOperationForm(resources, input, undefined, {
    initial: draft.initial,
    onInput: (values) => draft.keep({ values }, editsIn(values).size === 0 ? null : (base ?? firstBase)),
  })
  const { hasEdits } = entered
  useEffect(() => {
    if (hasEdits === (base === null)) onBase(hasEdits ? firstBase : null)
  }, [hasEdits, base, onBase, firstBase])
  return { resources, draft, entered }
}

/** The plan of the upgrade, and how it is started or requested. */
function useUpgrade(
  { detail, manifest, base, edited = null }: UpgradeProps,
  { resources, draft, entered }: ReturnType<typeof useUpgradeValues>,
) {
  const t = useText()
  const { installation, snapshotVersion } = detail
  const { bundleInstallId, bundle } = installation
  const scope = scopeOf(detail)
  const may = useMay('installation:upgrade', installation)
  const unavailable = unavailableReason(detail)
  const gate = useGate(may ? scope : null, 'UPGRADE')
  const upgrade = useWrite('POST /installations/{bundleInstallId}/upgrade', {
    invalidates: ['GET /installations', 'GET /installations/{bundleInstallId}', 'GET /operations'],
  })
  const settled = useSettledEdits(entered.form, (id) =>
    resources.some(({ fields }) =>
      fields.some((field) => field.id === id && field.definition.isSensitive === true),
    ),
  )
  const inputOf = (values: PropertyFormValues) => {
    const properties = changesOf(resources, editsIn(values))
    return { targetVersion: manifest.version, ...(Object.keys(properties).length > 0 && { properties }) }
  }
  const callOf = (values: PropertyFormValues) => {
    const input = inputOf(values)
    const given = input.properties && { snapshotVersion: base ?? snapshotVersion }
    return { params: { bundleInstallId }, body: { ...input, ...given } }
  }
  const isPlanned = may && !keepsHidden(edited)
  const planned = useOperationPlan(
    'POST /installations/{bundleInstallId}/upgrade/plan',
    isPlanned ? callOf(settled) : null,
  )
  const titleOf = (version: string) =>
    t('changes.title.version', {
      kind: t('changes.kind.UPGRADE'),
      bundle: detail.title ?? bundle.bundleId,
      version,
      scope: scopeText(scope),
    })
  const operation = useOperationRequest({
    entered,
    draft,
    scope,
    gate,
    planned,
    isPlanned,
    notNow: may ? unavailable !== null && t(unavailable) : t('installations.reason.permission.upgrade'),
    edited,
    titleBefore: titleOf(edited?.input.targetVersion ?? ''),
    proposalOf: (values) => ({
      kind: 'UPGRADE',
      title: titleOf(manifest.version),
      ...reasonIn(values),
      input: { bundleInstallId, ...inputOf(values) },
    }),
    start: (values) => {
      const call = callOf(values)
      return planned.send(call, (token) =>
        upgrade.mutateAsync({
          ...call,
          body: { ...call.body, ...reasonIn(values), ...token, ...gate.override },
        }),
      )
    },
  })
  return { operation, settled }
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

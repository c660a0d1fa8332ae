import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Installation } from '#contract/console-api/shapes.ts'
import { ApiError, callApi } from '../../api/client.ts'
import type { Call } from '../../api/client.ts'
import { apiQuery, invalidateEndpoints } from '../../api/query.ts'
import { useWrite } from '../../api/write.ts'
import { ReasonField } from '../../forms/fields/ReasonField.tsx'
import { FormDialog } from '../../forms/form/FormDialog.tsx'
import { reasonIn } from '../../forms/form/reason.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { editsIn } from '../../forms/property/form-edit.ts'
import { useText } from '../../i18n/use-text.ts'
import { OperationFields } from '../../pages/installations/form/OperationFields.tsx'
import {
  changesOf,
  installForm,
  upgradeForm,
  type FormResource,
} from '../../pages/installations/form/property-form.ts'
import { emptyInput, useOperationForm } from '../../pages/installations/form/use-operation-form.ts'
import { paths } from '../../paths.ts'
import { propertyTitle } from '../property-labels.ts'
import { Field } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Select } from '../../ui/Select.tsx'
import { useSettledEdits } from '../plan/use-operation-plan.ts'
import { BatchLimits } from './BatchLimits.tsx'
import { invalidLimits, limitsIn, NO_LIMITS, type Limits } from './limits.ts'
import { BatchPlanView } from './BatchPlanView.tsx'

export interface BatchTarget {
  /** Of the installation, or of the operation to retry. */
  id: string
  installation: Installation['installation']
  title: string | null
  version: string | null
}
export type BatchDialogAction = 'UPGRADE' | 'CONFIGURE' | 'DETACH' | 'RETRY'

const PLAN = 'POST /batches/plan'
type Body = Call<typeof PLAN>['body']

/**
 * Prepares one action over many targets: what to do, within which limits, and what will happen to each. The targets are
 * those at the time of opening: the list behind the dialog may refetch.
 */
export function BatchDialog({
  action,
  targets: given,
  limits: initialLimits = NO_LIMITS,
  onClose,
}: {
  action: BatchDialogAction
  targets: readonly BatchTarget[]
  /** The limits to begin with; the person can change them. */
  limits?: Limits
  onClose: () => void
}) {
  const t = useText()
  const navigate = useNavigate()
  const client = useQueryClient()
  const [selected] = useState(given)
  const hasBundle = action === 'UPGRADE' || action === 'CONFIGURE'
  const bundles = useMemo(() => bundlesOf(selected), [selected])
  const [bundleKey, setBundleKey] = useState(() => bundles[0]?.key ?? '')
  const bundle = bundles.find(({ key }) => key === bundleKey)
  const targets = hasBundle ? (bundle?.targets ?? []) : selected
  const [typedLimits, setLimits] = useState(initialLimits)
  // a single target has none, and their fields are hidden
  const limits = targets.length < 2 ? NO_LIMITS : typedLimits

  const version = useTargetVersion(action === 'UPGRADE' ? bundle : undefined)
  const property = useChosenProperty(action === 'CONFIGURE' ? bundle : undefined)
  const needed = useNeededValues(action === 'UPGRADE' ? bundle : undefined, version.chosen)
  const resources = action === 'UPGRADE' ? needed : property.resources
  const [input] = useState(emptyInput)
  const isReasonRequired = action === 'DETACH'
  const missingReason = isReasonRequired ? t('common.confirm.reasonMissing') : undefined
  const { form, isDirty, invalid, fieldOf } = useOperationForm(resources, input, missingReason)
  const settled = useSettledEdits(form)

  const title = t(`batches.make.title.${action}`, { n: targets.length })
  const bodyOf = (values: Parameters<typeof editsIn>[0]): Body | null => {
    const common = { title, targets: targets.map(({ id }) => id) }
    if (action === 'RETRY' || action === 'DETACH') return { action, ...common }
    const changes = changesOf(resources, editsIn(values))
    if (action === 'UPGRADE') {
      if (version.chosen === undefined) return null
      const properties = Object.keys(changes).length > 0 && { properties: changes }
      return { action, ...common, input: { targetVersion: version.chosen, ...properties } }
    }
    return Object.keys(changes).length === 0 ? null : { action, ...common, input: { changes } }
  }
  const body = bodyOf(settled)
  const plan = useQuery({
    queryKey: [PLAN, body] as const,
    queryFn: ({ signal }) => {
      if (body === null) throw new TypeError('A plan needs a request')
      return callApi(PLAN, { body }, { signal })
    },
    // it may contain values that must not outlive the dialog
    gcTime: 0,
    staleTime: 0,
    enabled: body !== null,
    placeholderData: keepPreviousData,
  })
  const [isPlanUnseen, setPlanUnseen] = useState(false)
  const ready = plan.data?.items.filter(({ problems }) => problems.length === 0).length ?? 0
  // a missing value is named by its field
  const isMissingValue = resources.some(({ fields }) =>
    fields.some(({ id, isNeeded }) => isNeeded && !editsIn(settled).has(id)),
  )
  const isNothingReady = plan.data !== undefined && !plan.isPlaceholderData && ready === 0

  const create = useWrite('POST /batches', { invalidates: ['GET /batches'] })
  const submit = useSubmit(
    form,
    async (values) => {
      const wanted = bodyOf(values)
      if (wanted === null) return
      const isShown = !plan.isFetching && JSON.stringify(wanted) === JSON.stringify(body)
      // only a plan that the person has seen is carried out; the plan for what was just typed is on its way
      setPlanUnseen(!isShown)
      if (!isShown || plan.data === undefined) return
      try {
        const { batch } = await create.mutateAsync({
          // a DETACH needs a reason, and the form is not sent without it
          body: {
            ...wanted,
            ...limitsIn(limits),
            ...reasonIn(values),
            planToken: plan.data.planToken,
          } as Call<'POST /batches'>['body'],
        })
        await navigate({ ...paths.batch(batch.batchId), ignoreBlocker: true })
      } catch (error) {
        if (error instanceof ApiError && error.problem.code === 'PLAN_STALE')
          void invalidateEndpoints(client, [PLAN])
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
      title={title}
      danger={action === 'DETACH'}
      submit={t(`batches.make.start.${action}`, { n: plan.data === undefined ? targets.length : ready })}
      isDirty={isDirty}
      blockedReason={
        (invalidLimits(limits).size > 0 && t('batches.make.limits.invalid')) ||
        (isNothingReady && !isMissingValue && t('batches.make.nothing'))
      }
      incompleteReason={
        (body === null && invalid === 0 && t('batches.make.incomplete')) ||
        (isNothingReady && t('batches.make.nothing')) ||
        (reason.trim() === '' && missingReason)
      }
      onClose={onClose}
    >
      {hasBundle && bundles.length > 1 && (
        <Field label={t('batches.make.bundle')} help={t('batches.make.bundle.others')}>
          {(wiring) => (
            <Select
              {...wiring}
              value={bundleKey}
              options={bundles.map(({ key, bundleId, targets: of }) => ({
                value: key,
                label: `${bundleId} (${of.length})`,
              }))}
              onChange={(event) => setBundleKey(event.target.value)}
            />
          )}
        </Field>
      )}
      {action === 'UPGRADE' && (
        <Field label={t('batches.make.version')} className="w-56">
          {(wiring) => (
            <Select
              {...wiring}
              className="mono"
              value={version.chosen ?? ''}
              options={version.options.map((one) => ({ value: one, label: one }))}
              onChange={(event) => version.choose(event.target.value)}
            />
          )}
        </Field>
      )}
      {version.isDowngrade && <Notice tone="warn">{t('batches.make.downgrade')}</Notice>}
      {action === 'CONFIGURE' && (
        <>
          <Field label={t('batches.make.property')}>
            {(wiring) => (
              <Select
                {...wiring}
                value={property.chosen}
                placeholder={t('batches.make.property.choose')}
                options={property.options}
                onChange={(event) => property.choose(event.target.value)}
              />
            )}
          </Field>
        </>
      )}
      {targets[0] && resources.length > 0 && (
        <OperationFields
          key={property.chosen}
          control={form.control}
          resources={resources}
          scope={scopeOf(targets[0])}
          fold={false}
        />
      )}
      <ReasonField
        control={form.control}
        label={t('batches.make.reason')}
        need={isReasonRequired ? 'required' : 'optional'}
      />
      <BatchLimits value={limits} onChange={setLimits} count={targets.length} />
      {body !== null && (
        <BatchPlanView
          plan={plan.data}
          error={plan.error}
          isChecking={plan.isFetching}
          onRetry={() => void plan.refetch()}
        />
      )}
      {isPlanUnseen && (
        <Notice tone="info" live>
          {t('batches.make.unseen')}
        </Notice>
      )}
    </FormDialog>
  )
}

interface BundleTargets {
  key: string
  bundleId: string
  environmentKey: string
  targets: BatchTarget[]
}

/** The targets by bundle, the bundle with most targets first. */
function bundlesOf(targets: readonly BatchTarget[]): BundleTargets[] {
  const groups = Map.groupBy(targets, ({ installation: { bundle } }) =>
    JSON.stringify([bundle.environmentKey, bundle.bundleId]),
  )
  return [...groups]
    .map(([key, of]) => ({ key, ...of[0]!.installation.bundle, targets: of }))
    .toSorted((a, b) => b.targets.length - a.targets.length)
}

const scopeOf = ({ installation }: BatchTarget) => ({
  environmentKey: installation.environmentKey,
  applicationRuntimeId: installation.applicationRuntimeId,
  workspaceId: installation.workspaceId,
})

/** The version to upgrade to: the newest one, unless another is chosen. */
function useTargetVersion(bundle: BundleTargets | undefined) {
  const [picked, setPicked] = useState<{ key: string; version: string } | null>(null)
  const versions = useQuery({
    ...apiQuery('GET /bundles/{environmentKey}/{bundleId}/versions', {
      params: { environmentKey: bundle?.environmentKey ?? '', bundleId: bundle?.bundleId ?? '' },
      query: { limit: 200 },
    }),
    enabled: bundle !== undefined,
  })
  const options = (versions.data?.items ?? []).map(({ version }) => version)
  const chosen = picked !== null && picked.key === bundle?.key ? picked.version : options[0]
  // newest first, by the time of publishing
  const place = (version: string | null) => (version === null ? -1 : options.indexOf(version))
  const isDowngrade =
    chosen !== undefined &&
    (bundle?.targets ?? []).some(({ version }) => place(version) !== -1 && place(version) < place(chosen))
  return {
    options,
    chosen: bundle === undefined ? undefined : chosen,
    isDowngrade,
    choose: (version: string) => bundle && setPicked({ key: bundle.key, version }),
  }
}

const NOTHING: readonly FormResource[] = []
const NONE_SHOWN: ReadonlySet<never> = new Set()

/** The values that the target version requires and the first target does not have. They are set in all targets. */
function useNeededValues(
  bundle: BundleTargets | undefined,
  version: string | undefined,
): readonly FormResource[] {
  const first = bundle?.targets[0]
  const installed = useQuery({
    ...apiQuery('GET /installations/{bundleInstallId}', { params: { bundleInstallId: first?.id ?? '' } }),
    enabled: first !== undefined,
  })
  const manifest = useQuery({
    ...apiQuery('GET /bundles/{environmentKey}/{bundleId}/versions/{version}', {
      params: {
        environmentKey: bundle?.environmentKey ?? '',
        bundleId: bundle?.bundleId ?? '',
        version: version ?? '',
      },
    }),
    enabled: bundle !== undefined && version !== undefined,
  })
  return useMemo(() => {
    if (!manifest.data || !installed.data || first?.version === version) return NOTHING
    return upgradeForm(manifest.data, installed.data.resources, NONE_SHOWN).flatMap((resource) => {
      const fields = resource.fields.filter(({ isNeeded }) => isNeeded)
      return fields.length === 0 ? [] : [{ ...resource, fields }]
    })
  }, [manifest.data, installed.data, first?.version, version])
}

/** The property to set, as a form of one field. The manifest of the first target's version defines the choices. */
function useChosenProperty(bundle: BundleTargets | undefined) {
  const [chosen, choose] = useState('')
  const version = bundle?.targets[0]?.version ?? ''
  const manifest = useQuery({
    ...apiQuery('GET /bundles/{environmentKey}/{bundleId}/versions/{version}', {
      params: { environmentKey: bundle?.environmentKey ?? '', bundleId: bundle?.bundleId ?? '', version },
    }),
    enabled: bundle !== undefined && version !== '',
  })
  const all = useMemo(() => (manifest.data ? installForm(manifest.data, null) : NOTHING), [manifest.data])
  const resources = useMemo(
    () =>
      all.flatMap((resource) => {
        const fields = resource.fields
          .filter(({ id }) => id === chosen)
          // the values of the targets differ, so none is shown as the current one
          .map((field) => ({ ...field, fallback: { from: 'nothing', view: null } as const }))
        return fields.length === 0 ? [] : [{ ...resource, fields }]
      }),
    [all, chosen],
  )
  const options = all.flatMap(({ title, fields }) =>
    fields.map(({ id, property, definition }) => ({
      value: id,
      label: `${title} · ${propertyTitle(definition, property)}`,
    })),
  )
  return { chosen, choose, resources, options }
}

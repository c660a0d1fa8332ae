import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Scope } from '#contract/protocol/scope.ts'
import { apiQuery } from '../../../api/query.ts'
import { useMay } from '../../../api/session.ts'
import { useWrite } from '../../../api/write.ts'
import type { Manifest } from '../../../subjects/manifest/writers.ts'
import { OperationPlanView } from '../../../subjects/plan/OperationPlanView.tsx'
import { useOperationPlan, useSettledEdits } from '../../../subjects/plan/use-operation-plan.ts'
import { ReasonField } from '../../../forms/fields/ReasonField.tsx'
import { reasonIn } from '../../../forms/form/use-zod-form.ts'
import { FormPage } from '../../../forms/dialogs/FormPage.tsx'
import { LeaveGuard } from '../../../forms/form/LeaveGuard.tsx'
import { useSubmit } from '../../../forms/form/use-submit.ts'
import { editsIn, type PropertyFormValues } from '../../../forms/property/form-edit.ts'
import { useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { PropertyValueView } from '../../../ui/value/ValueView.tsx'
import { propertyTitle } from '../../../forms/property/property-labels.ts'
import { scopeText } from '../../../subjects/scopes/scope-text.ts'
import type { FieldId } from '../../../forms/property/field-id.ts'
import { Section } from '../../../ui/Card.tsx'
import { LinkButton } from '../../../ui/Link.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { OperationFields } from '../../../subjects/operation-form/OperationFields.tsx'
import {
  changesOf,
  installForm,
  leftBehind,
  type Copied,
} from '../../../subjects/operation-form/property-form.ts'
import { RestoredNotice } from '../../../subjects/operation-form/RestoredNotice.tsx'
import { useFormDraft } from '../../../subjects/operation-form/use-form-draft.ts'
import { useOperationForm, type OperationInput } from '../../../subjects/operation-form/use-operation-form.ts'

const NO_SCOPE: Scope = { environmentKey: '-', applicationRuntimeId: '-', workspaceId: 0 }

/** The values of an install. Starting it opens its operation. */
export function InstallForm({
  manifest,
  scope,
  copy,
  input,
}: {
  manifest: Manifest
  scope: Scope | null
  copy: { bundleInstallId: string; from: Scope; last: Exclude<Copied, null>; isRefused: boolean } | null
  input: OperationInput
}) {
  const t = useText()
  const navigate = useNavigate()
  const last = copy?.last ?? null
  const from = copy?.from
  const isElsewhere = from !== undefined && (scope === null || scopeText(scope) !== scopeText(from))
  const bound = useMemo(
    () => (isElsewhere && last !== null ? leftBehind(manifest, last, from) : []),
    [isElsewhere, manifest, last, from],
  )
  const [wanted, setWanted] = useState<ReadonlySet<FieldId>>(new Set())
  const resources = useMemo(
    () => installForm(manifest, last, new Set(bound.map(({ id }) => id).filter((id) => !wanted.has(id)))),
    [manifest, last, bound, wanted],
  )
  const draft = useFormDraft(
    {
      title: manifest.title,
      place: {
        kind: 'INSTALL',
        search: {
          ...scope,
          bundleEnvironmentKey: manifest.bundle.environmentKey,
          bundleId: manifest.bundle.bundleId,
          version: manifest.version,
          ...(copy && { copyFrom: copy.bundleInstallId }),
        },
      },
    },
    resources,
    input,
  )
  const { form, clear, isSensitiveTyped, invalid, fieldOf } = useOperationForm(resources, input, undefined, {
    initial: draft.initial,
    onInput: (values) => draft.keep(values),
  })
  const may = useMay('installation:install', scope ?? 'anywhere')
  const existing = useExisting(scope, manifest)
  const install = useWrite('POST /installations', {
    invalidates: ['GET /installations', 'GET /operations', 'GET /scopes'],
  })
  const bodyOf = (into: Scope, values: PropertyFormValues) => {
    const properties = changesOf(resources, editsIn(values))
    return {
      scope: into,
      bundle: manifest.bundle,
      targetVersion: manifest.version,
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(copy && { copyFrom: { bundleInstallId: copy.bundleInstallId } }),
    }
  }
  const settled = useSettledEdits(form)
  const planned = useOperationPlan(
    'POST /installations/plan',
    scope !== null && may ? { body: bodyOf(scope, settled) } : null,
  )
  const submit = useSubmit(
    form,
    async (values) => {
      if (scope === null) return
      const { operation } = await planned.send({ body: bodyOf(scope, values) }, (token) =>
        install.mutateAsync({ body: { ...bodyOf(scope, values), ...reasonIn(values), ...token } }),
      )
      draft.remove()
      await navigate({ ...paths.operation(operation.operationId), ignoreBlocker: true })
    },
    fieldOf,
  )
  const hasFields = resources.some(({ fields }) => fields.length > 0)

  return (
    <FormPage
      form={form}
      onSubmit={submit.onSubmit}
      busy={submit.busy}
      error={submit.error}
      submit={t('installations.install.submit', { version: `${manifest.title} ${manifest.version}` })}
      invalid={invalid}
      blockedReason={
        (scope === null && t('installations.install.incomplete')) ||
        (!may && t('installations.reason.permission.install')) ||
        (copy?.isRefused === true && t('installations.copy.otherBundle')) ||
        (existing !== null && t('installations.install.exists'))
      }
      actions={<LinkButton to={paths.installations()}>{t('common.cancel')}</LinkButton>}
      className="space-y-4"
    >
      <RestoredNotice draft={draft} onClear={clear} />
      {bound.length > 0 && from !== undefined && (
        <Notice
          tone="warn"
          title={t('installations.copy.bound', { n: bound.length, scope: scopeText(from) })}
        >
          <p>{t('installations.copy.bound.message')}</p>
          <ul className="mt-1">
            {bound.map(({ id, resource, property, definition, value }) => (
              <li key={id} className="flex flex-wrap items-center gap-x-3">
                <Checkbox
                  checked={wanted.has(id)}
                  onChange={({ target: { checked } }) =>
                    setWanted((before) =>
                      checked
                        ? new Set(before).add(id)
                        : new Set([...before].filter((other) => other !== id)),
                    )
                  }
                >
                  {propertyTitle(definition, property)} · {resource}
                </Checkbox>
                {value !== null && <PropertyValueView value={value} />}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <Section
        title={t('installations.install.values')}
        description={t(
          !hasFields
            ? 'installations.install.values.none'
            : copy
              ? 'installations.install.values.copy'
              : 'installations.install.values.about',
        )}
        flush
      >
        <OperationFields control={form.control} resources={resources} scope={scope ?? NO_SCOPE} fold />
      </Section>
      {existing && (
        <Notice
          tone="warn"
          actions={
            <LinkButton size="sm" to={paths.installation(existing)}>
              {t('installations.install.exists.open')}
            </LinkButton>
          }
        >
          {t('installations.install.exists')}
        </Notice>
      )}
      {scope !== null && may && (
        <Section title={t('plans.title')} flush>
          <OperationPlanView
            state={planned}
            // the notice above names the existing installation
            isAtField={(problem) => fieldOf(problem) !== null || problem.errorCode === 'INSTALLATION_EXISTS'}
          />
        </Section>
      )}
      <ReasonField control={form.control} label={t('installations.install.reason')} className="max-w-2xl" />
      <LeaveGuard
        isDirty={isSensitiveTyped}
        isSamePage={({ pathname }) => pathname === '/installations/new'}
      />
    </FormPage>
  )
}

/** The scope's existing installation of the bundle, if any: a second one is refused. */
function useExisting(scope: Scope | null, { bundle }: Manifest): string | null {
  const { data } = useQuery({
    ...apiQuery('GET /installations', {
      query: { ...(scope ?? NO_SCOPE), bundleId: bundle.bundleId, state: 'NOT_INSTALLED,ACTIVE', limit: 10 },
    }),
    enabled: scope !== null,
  })
  const found = data?.items.find(
    ({ installation }) => installation.bundle.environmentKey === bundle.environmentKey,
  )
  return scope === null ? null : (found?.installation.bundleInstallId ?? null)
}

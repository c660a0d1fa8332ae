import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { paths } from '../../../addresses/paths.ts'
import { apiQuery } from '../../../api/query.ts'
import { useMay } from '../../../api/session.ts'
import { useWrite } from '../../../api/write.ts'
import { LeaveGuard } from '../../../forms/form/LeaveGuard.tsx'
import { reasonIn } from '../../../forms/form/use-zod-form.ts'
import { editsIn, type PropertyFormValues } from '../../../forms/property/property-edit.ts'
import type { FieldId } from '../../../forms/property/property-place.ts'
import { useText } from '../../../i18n/use-text.ts'
import { isOfRequest, keepsHidden, withKept } from '../../../subjects/change-requests/edited-request.tsx'
import { useGate } from '../../../subjects/gate/use-gate.tsx'
import { manifestQuery } from '../../../subjects/manifest/manifest-query.ts'
import type { Manifest } from '../../../subjects/manifest/writers.ts'
import { FormDocument, useFormDocumentToggle } from '../../../subjects/operation-form/FormDocument.tsx'
import { OperationFields } from '../../../subjects/operation-form/OperationFields.tsx'
import { OperationFormPage, useOperationRequest } from '../form/OperationFormPage.tsx'
import { keepTicked } from '../../../subjects/operation-form/form-draft.ts'
import {
  changesOf,
  installForm,
  leftBehind,
  type Copied,
  type Edits,
} from '../../../subjects/operation-form/property-form.ts'
import { useFormDraft } from '../../../subjects/operation-form/use-form-draft.ts'
import { useOperationForm, type OperationInput } from '../../../subjects/operation-form/use-operation-form.ts'
import { useOperationPlan, useSettledEdits } from '../../../subjects/plan/use-operation-plan.ts'
import { scopeText } from '../../../subjects/scopes/scope-text.ts'
import { Section } from '../../../ui/Card.tsx'
import { cx } from '../../../ui/class-names.ts'
import { LinkButton } from '../../../ui/Link.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { BoundChoices } from './BoundChoices.tsx'
import { InstallOutline, RequiredValues } from './InstallOutline.tsx'
import { useArrival } from './use-arrival.tsx'

const NO_SCOPE: Scope = { environmentKey: '-', applicationRuntimeId: '-', workspaceId: 0 }

interface InstallProps {
  manifest: Manifest
  scope: Scope | null
  copy: { bundleInstallId: string; from: Scope; last: Exclude<Copied, null>; isRefused: boolean } | null
  input: OperationInput
  /** The change request whose install this is, with its values in `input`. */
  edited?: ChangeRequestDetail | null
}

/** The values of an install. Starting it opens its operation. */
export function InstallForm(install: InstallProps) {
  const { manifest, scope, copy } = install
  const t = useText()
  const values = useInstallValues(install)
  const { resources, bound } = values
  const existing = useExisting(scope, manifest)
  const { operation, settled } = useInstall(install, values, existing !== null)
  const edits = editsIn(settled)
  return (
    <OperationFormPage
      operation={operation}
      action={t('installations.install.submit', { version: `${manifest.title} ${manifest.version}` })}
      reason={t('installations.install.reason')}
      refused={
        (scope === null && t('installations.install.incomplete')) ||
        (copy?.isRefused === true && t('installations.copy.otherBundle')) ||
        (existing !== null && t('installations.install.exists'))
      }
      cancel={paths.installations()}
      docked={<RequiredValues resources={resources} edits={edits} />}
    >
      {existing !== null && (
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
      {copy !== null && bound.length > 0 && (
        <Notice
          tone="warn"
          title={t('installations.copy.bound', { n: bound.length, scope: scopeText(copy.from) })}
        >
          <BoundChoices
            about={t('installations.copy.bound.message')}
            bound={bound}
            ticked={values.ticked}
            onTick={({ id }, isTicked) => values.tick(id, isTicked)}
          />
        </Notice>
      )}
      <ValuesSection install={install} values={values} edits={edits} />
      <LeaveGuard
        isDirty={operation.hasUnkept}
        isSamePage={({ pathname, search }) =>
          pathname === '/installations/new' && isOfRequest(search, install.edited)
        }
      />
    </OperationFormPage>
  )
}

/** The fields, with their outline or, if the person wants it, with the same values as a document. */
function ValuesSection({
  install: { manifest, scope, copy },
  values: { resources, entered },
  edits,
}: {
  install: InstallProps
  values: InstallValues
  edits: Edits
}) {
  const t = useText()
  const { form } = entered
  const arrival = useArrival({ form, manifest, resources, scope })
  const json = useFormDocumentToggle()
  const withFields = resources.filter(({ fields }) => fields.length > 0).length
  // the document takes the room of the outline
  const isBeside = withFields > 0 && json.isOpen
  const hasOutline = withFields > 1 && !isBeside
  const wrong = new Set(Object.keys(form.formState.errors.edits ?? {}))
  const about = copy === null ? 'installations.install.values.about' : 'installations.install.values.copy'
  return (
    <Section
      title={t('installations.install.values')}
      description={t(withFields === 0 ? 'installations.install.values.none' : about)}
      actions={
        withFields > 0 && (
          <>
            {json.button}
            {arrival.menu}
          </>
        )
      }
      flush
    >
      <div className="space-y-4">
        {arrival.notice}
        <div
          className={cx(
            isBeside && 'grid gap-8 xl:grid-cols-2',
            hasOutline && 'grid gap-x-8 lg:grid-cols-[15rem_minmax(0,1fr)]',
          )}
        >
          {hasOutline && <InstallOutline resources={resources} edits={edits} invalid={wrong} />}
          <OperationFields control={form.control} resources={resources} scope={scope ?? NO_SCOPE} fold />
          {isBeside && <FormDocument form={form} resources={resources} />}
        </div>
      </div>
    </Section>
  )
}

type InstallValues = ReturnType<typeof useInstallValues>

/** What is entered, kept in this browser. What a copy has of another place is taken only where it is ticked. */
function useInstallValues({ manifest, scope, copy, input, edited = null }: InstallProps) {
  const last = copy?.last ?? null
  const from = copy?.from
  const isElsewhere = from !== undefined && (scope === null || scopeText(scope) !== scopeText(from))
  const bound = useMemo(
    () => (isElsewhere && last !== null ? leftBehind(manifest, last, from) : []),
    [isElsewhere, manifest, last, from],
  )
  const allFields = useMemo(() => installForm(manifest, null), [manifest])
  const { environmentKey: bundleEnvironmentKey, bundleId } = manifest.bundle
  const { title, version } = manifest
  const copyFrom = copy === null ? {} : { copyFrom: copy.bundleInstallId }
  const search = { ...scope, bundleEnvironmentKey, bundleId, version, ...copyFrom }
  const draft = useFormDraft(
    { title, place: edited === null ? { kind: 'INSTALL', search } : null },
    allFields,
    input,
  )
  const [ticked, setTicked] = useState<ReadonlySet<FieldId>>(
    () => input.ticked ?? draft.restored?.ticked ?? new Set(),
  )
  const resources = useMemo(() => {
    const held = new Set(bound.map(({ id }) => id).filter((id) => !ticked.has(id)))
    return withKept(installForm(manifest, last, held), edited)
  }, [manifest, last, bound, ticked, edited])
  const entered = useOperationForm(resources, input, undefined, {
    initial: draft.initial,
    onInput: (values) => draft.keep({ values, ticked }),
  })
  const tickOnly = (next: ReadonlySet<FieldId>) => {
    setTicked(next)
    keepTicked(input, next)
    draft.keep({ values: entered.form.getValues(), ticked: next })
  }
  const clear = () => {
    entered.clear()
    tickOnly(new Set())
  }
  return {
    resources,
    draft,
    entered: { ...entered, clear },
    bound,
    ticked,
    tick: (id: FieldId, isTicked: boolean) => {
      const others = [...ticked].filter((other) => other !== id)
      tickOnly(new Set(isTicked ? [...others, id] : others))
    },
  }
}

/** The plan of the install, and how it is started or requested. */
function useInstall(
  { manifest, scope, copy, edited = null }: InstallProps,
  { resources, draft, entered }: InstallValues,
  exists: boolean,
) {
  const t = useText()
  const may = useMay('installation:install', scope ?? 'anywhere')
  const gate = useGate(may ? scope : null, 'INSTALL')
  const install = useWrite('POST /installations', {
    invalidates: ['GET /installations', 'GET /operations', 'GET /scopes'],
  })
  const settled = useSettledEdits(entered.form)
  const inputOf = (values: PropertyFormValues) => {
    if (scope === null) return null
    const properties = changesOf(resources, editsIn(values))
    return {
      scope,
      bundle: manifest.bundle,
      targetVersion: manifest.version,
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(copy && { copyFrom: { bundleInstallId: copy.bundleInstallId } }),
    }
  }
  const body = may && !exists && !keepsHidden(edited) ? inputOf(settled) : null
  const planned = useOperationPlan('POST /installations/plan', body && { body })
  // another bundle or version may be chosen now
  const requested = { environmentKey: '', bundleId: '', ...edited?.input.bundle }
  const { data: before } = useQuery({
    ...manifestQuery({ ...requested, version: edited?.input.targetVersion ?? '' }),
    enabled: edited !== null,
  })
  const titleOf = (of: Manifest, into: Scope) =>
    t('changes.title.version', {
      kind: t('changes.kind.INSTALL'),
      bundle: of.title,
      version: of.version,
      scope: scopeText(into),
    })
  const operation = useOperationRequest({
    entered,
    draft,
    scope,
    gate,
    planned,
    isPlanned: body !== null,
    notNow: !may && t('installations.reason.permission.install'),
    edited,
    titleBefore: before !== undefined && edited?.scope ? titleOf(before, edited.scope) : null,
    proposalOf: (values) => {
      const input = inputOf(values)
      if (input === null) return null
      return { kind: 'INSTALL', title: titleOf(manifest, input.scope), ...reasonIn(values), input }
    },
    start: async (values) => {
      const input = inputOf(values)
      if (input === null) return null
      return planned.send({ body: input }, (token) =>
        install.mutateAsync({ body: { ...input, ...reasonIn(values), ...token, ...gate.override } }),
      )
    },
  })
  return { operation, settled }
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

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { apiQuery } from '../../../api/query.ts'
import { useMay } from '../../../api/session.ts'
import { useWrite } from '../../../api/write.ts'
import type { Manifest } from '../../../subjects/manifest/writers.ts'
import {
  EditedNotice,
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
import { OperationPlanView } from '../../../subjects/plan/OperationPlanView.tsx'
import { useOperationPlan, useSettledEdits } from '../../../subjects/plan/use-operation-plan.ts'
import { ReasonField } from '../../../forms/fields/ReasonField.tsx'
import { reasonIn } from '../../../forms/form/use-zod-form.ts'
import { FormPage } from '../../../forms/dialogs/FormPage.tsx'
import { LeaveGuard } from '../../../forms/form/LeaveGuard.tsx'
import { useSubmit } from '../../../forms/form/use-submit.ts'
import { editsIn, type PropertyFormValues } from '../../../forms/property/property-edit.ts'
import { useText } from '../../../i18n/use-text.ts'
import { paths } from '../../../addresses/paths.ts'
import { scopeText } from '../../../subjects/scopes/scope-text.ts'
import type { FieldId } from '../../../forms/property/property-place.ts'
import { Section } from '../../../ui/Card.tsx'
import { cx } from '../../../ui/class-names.ts'
import { LinkButton } from '../../../ui/Link.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { FormDocument, useFormDocumentToggle } from '../../../subjects/operation-form/FormDocument.tsx'
import { OperationFields } from '../../../subjects/operation-form/OperationFields.tsx'
import {
  changesOf,
  installForm,
  leftBehind,
  type Copied,
} from '../../../subjects/operation-form/property-form.ts'
import { useGate } from '../../../subjects/gate/use-gate.tsx'
import { needsSignIn, SignInAgain } from '../../../subjects/sign-in/SignInAgain.tsx'
import { RestoredNotice } from '../../../subjects/operation-form/RestoredNotice.tsx'
import { keepTicked } from '../../../subjects/operation-form/form-draft.ts'
import { useFormDraft } from '../../../subjects/operation-form/use-form-draft.ts'
import { useOperationForm, type OperationInput } from '../../../subjects/operation-form/use-operation-form.ts'
import { BoundChoices } from './BoundChoices.tsx'
import { InstallOutline, RequiredValues } from './InstallOutline.tsx'
import { useArrival } from './use-arrival.tsx'

const NO_SCOPE: Scope = { environmentKey: '-', applicationRuntimeId: '-', workspaceId: 0 }

/** The values of an install. Starting it opens its operation. */
export function InstallForm({
  manifest,
  scope,
  copy,
  input,
  edited = null,
}: {
  manifest: Manifest
  scope: Scope | null
  copy: { bundleInstallId: string; from: Scope; last: Exclude<Copied, null>; isRefused: boolean } | null
  input: OperationInput
  /** The change request whose install this is, with its values in `input`. */
  edited?: ChangeRequestDetail | null
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
  const allFields = useMemo(() => installForm(manifest, null), [manifest])
  const draft = useFormDraft(
    {
      title: manifest.title,
      place:
        edited === null
          ? {
              kind: 'INSTALL',
              search: {
                ...scope,
                bundleEnvironmentKey: manifest.bundle.environmentKey,
                bundleId: manifest.bundle.bundleId,
                version: manifest.version,
                ...(copy && { copyFrom: copy.bundleInstallId }),
              },
            }
          : null,
    },
    allFields,
    input,
  )
  const [ticked, setTicked] = useState<ReadonlySet<FieldId>>(
    () => input.ticked ?? draft.restored?.ticked ?? new Set(),
  )
  const resources = useMemo(
    () =>
      withKept(
        installForm(manifest, last, new Set(bound.map(({ id }) => id).filter((id) => !ticked.has(id)))),
        edited,
      ),
    [manifest, last, bound, ticked, edited],
  )
  const { form, clear, isSensitiveTyped, invalid, fieldOf } = useOperationForm(resources, input, undefined, {
    initial: draft.initial,
    onInput: (values) => draft.keep({ values, ticked }),
  })
  const tick = (next: ReadonlySet<FieldId>) => {
    setTicked(next)
    keepTicked(input, next)
    draft.keep({ values: form.getValues(), ticked: next })
  }
  const arrival = useArrival({ form, manifest, resources, scope })
  const may = useMay('installation:install', scope ?? 'anywhere')
  const existing = useExisting(scope, manifest)
  const gate = useGate(scope, 'INSTALL')
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
  // a plan without the values that the request keeps would miss them
  const hasHidden = edited !== null && hiddenIn(edited).length > 0
  const planned = useOperationPlan(
    'POST /installations/plan',
    scope !== null && may && !hasHidden ? { body: bodyOf(scope, settled) } : null,
  )
  const proposalOf = (values: PropertyFormValues & { reason: string }): Proposal | null =>
    scope && {
      kind: 'INSTALL',
      title: t('changes.title.version', {
        kind: t('changes.kind.INSTALL'),
        bundle: manifest.title,
        version: manifest.version,
        scope: scopeText(scope),
      }),
      ...reasonIn(values),
      input: bodyOf(scope, values),
    }
  const review = useRequestReview()
  const request = useSaveRequest()
  const isGuarded = needsReview(planned.plan?.problems) && !gate.isOverriding
  const submit = useSubmit(
    form,
    async (values) => {
      if (scope === null) return
      if (edited !== null) {
        const { properties, ...input } = bodyOf(scope, values)
        const kept = withHidden(properties ?? {}, edited)
        return request.save(edited, {
          kind: 'INSTALL',
          ...reasonIn(values),
          input: { ...input, ...(Object.keys(kept).length > 0 && { properties: kept }) },
        })
      }
      const proposal = isGuarded ? proposalOf(values) : null
      if (proposal !== null)
        return review.request(proposal, { submit: true, beforeLeaving: () => draft.remove() })
      const { operation } = await planned.send({ body: bodyOf(scope, values) }, (token) =>
        install.mutateAsync({
          body: { ...bodyOf(scope, values), ...reasonIn(values), ...token, ...gate.override },
        }),
      )
      draft.remove()
      await navigate({ ...paths.operation(operation.operationId), ignoreBlocker: true })
    },
    fieldOf,
  )
  const cannotBeInstalled =
    (scope === null && t('installations.install.incomplete')) ||
    (copy?.isRefused === true && t('installations.copy.otherBundle')) ||
    (existing !== null && t('installations.install.exists'))
  const hasFields = resources.some(({ fields }) => fields.length > 0)
  const hasOutline = resources.filter(({ fields }) => fields.length > 0).length > 1
  const json = useFormDocumentToggle()
  const isBeside = hasFields && json.isOpen
  const edits = editsIn(settled)
  const wrong = new Set(Object.keys(form.formState.errors.edits ?? {}))

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
            : t('installations.install.submit', { version: `${manifest.title} ${manifest.version}` })
      }
      invalid={invalid}
      blockedReason={
        cannotBeInstalled ||
        (edited === null && !may && t('installations.reason.permission.install')) ||
        (edited === null && !isGuarded && gate.blocked)
      }
      actions={
        <>
          {edited === null && (
            <ShareDraft
              form={form}
              scope={scope}
              proposalOf={proposalOf}
              blockedReason={cannotBeInstalled}
              onShared={() => draft.remove()}
            />
          )}
          {/* a phone has no room for it, and the link above the heading leads there too */}
          <LinkButton to={paths.installations()} className="max-sm:hidden">
            {t('common.cancel')}
          </LinkButton>
        </>
      }
      errorActions={(code) => needsSignIn(code) && <SignInAgain keep={() => true} />}
      docked={<RequiredValues resources={resources} edits={edits} />}
      className="space-y-4"
    >
      {edited === null ? may && gate.choice : <EditedNotice request={edited} />}
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
      <RestoredNotice
        draft={draft}
        onClear={() => {
          clear()
          tick(new Set())
        }}
      />
      {bound.length > 0 && from !== undefined && (
        <Notice
          tone="warn"
          title={t('installations.copy.bound', { n: bound.length, scope: scopeText(from) })}
        >
          <BoundChoices
            about={t('installations.copy.bound.message')}
            bound={bound}
            ticked={ticked}
            onTick={({ id }, isTicked) =>
              tick(isTicked ? new Set(ticked).add(id) : new Set([...ticked].filter((other) => other !== id)))
            }
          />
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
        actions={
          hasFields && (
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
              // the document takes the room of the outline
              isBeside
                ? 'grid gap-8 xl:grid-cols-2'
                : hasOutline && 'grid gap-x-8 lg:grid-cols-[15rem_minmax(0,1fr)]',
            )}
          >
            {hasOutline && !isBeside && (
              <InstallOutline resources={resources} edits={edits} invalid={wrong} />
            )}
            <OperationFields control={form.control} resources={resources} scope={scope ?? NO_SCOPE} fold />
            {isBeside && <FormDocument form={form} resources={resources} />}
          </div>
        </div>
      </Section>
      {scope !== null && may && existing === null && !hasHidden && (
        <Section title={t('plans.title')} flush>
          <OperationPlanView state={planned} isAtField={(problem) => fieldOf(problem) !== null} />
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

import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { CHANGE_KINDS } from '#contract/console-api/vocabulary.ts'
import type { ChangePolicy } from '#contract/console-api/shapes.ts'
import { isKey } from '#contract/protocol/locator.ts'
import { ApiError } from '../../api/client.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { useWrite } from '../../api/write.ts'
import { ReasonField } from '../../forms/fields/ReasonField.tsx'
import { NumberField } from '../../forms/fields/NumberField.tsx'
import { SwitchField } from '../../forms/fields/SwitchField.tsx'
import { FormDialog } from '../../forms/dialogs/FormDialog.tsx'
import { fieldOfRequest } from '../../forms/form/server-errors.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { reasonIn, useZodForm } from '../../forms/form/use-zod-form.ts'
import { useErrorView } from '../../i18n/describe-code.ts'
import { joinList } from '../../i18n/punctuation.ts'
import { useText } from '../../i18n/use-text.ts'
import { keepForm, keptForm, type InterruptedAction } from '../../subjects/sign-in/interrupted-action.ts'
import { needsSignIn, SignInAgain } from '../../subjects/sign-in/SignInAgain.tsx'
import { usePlaceSearch } from '../../subjects/scopes/use-scope-search.ts'
import { Combobox } from '../../ui/Combobox.tsx'
import { DefinitionList } from '../../ui/DefinitionList.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Field } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { SkeletonLines } from '../../ui/Skeleton.tsx'
import { showToast } from '../../ui/toast.ts'
import { CHANGE_POLICIES } from './change-policies.ts'

/** What each environment requires before a change. Who may change a policy gets a form for it. */
export function ChangePolicies({
  resumed,
  onClose,
}: {
  resumed: InterruptedAction | null
  onClose: () => void
}) {
  const t = useText()
  const may = useMay('policy:write', 'anywhere')
  if (may) return <PolicyDialog resumed={resumed} onClose={onClose} />
  return (
    <Dialog open title={t('changes.policy.title')} description={t('changes.policy.about')} onClose={onClose}>
      <PolicyList />
      <p className="mt-4 text-muted">{t('changes.policy.readOnly')}</p>
    </Dialog>
  )
}

const policiesQuery = apiQuery('GET /change-policies', { query: {} })

function PolicyList() {
  const t = useText()
  const policies = useQuery(policiesQuery)
  const error = useErrorView(policies.error)
  if (error)
    return <ErrorState error={error} retrying={policies.isFetching} onRetry={() => void policies.refetch()} />
  if (!policies.data) return <SkeletonLines />
  if (policies.data.items.length === 0) return <p className="text-muted">{t('changes.policy.none')}</p>
  const textOf = ({ requiredFor, approvals }: ChangePolicy) =>
    requiredFor.length === 0
      ? t('changes.policy.nothing')
      : t('changes.policy.value', {
          n: approvals,
          kinds: joinList(
            t,
            requiredFor.map((kind) => t(`changes.kind.${kind}`)),
          ),
        })
  return (
    <DefinitionList
      items={policies.data.items.map((policy) => ({ label: policy.environmentKey, value: textOf(policy) }))}
    />
  )
}

const APPROVALS_MAX = 10

/** The form without an environment, and what is proposed for one that has no policy. */
const NEW_POLICY = {
  environmentKey: '',
  CONFIGURE: true,
  INSTALL: true,
  UPGRADE: true,
  DETACH: true,
  TAKEOVER: false,
  BATCH: false,
  approvals: '1',
  reason: '',
}

/** The policy with which the form begins, which may be none. */
type Seen = Pick<ChangePolicy, 'environmentKey' | 'updatedAt'>
const seenOf = (environmentKey: string, policy: ChangePolicy | undefined): Seen => ({
  environmentKey,
  updatedAt: policy?.updatedAt ?? null,
})

function PolicyDialog({ resumed, onClose }: { resumed: InterruptedAction | null; onClose: () => void }) {
  const t = useText()
  const schema = useMemo(
    () =>
      z.object({
        environmentKey: z.string().check(z.refine(isKey)),
        CONFIGURE: z.boolean(),
        INSTALL: z.boolean(),
        UPGRADE: z.boolean(),
        DETACH: z.boolean(),
        TAKEOVER: z.boolean(),
        BATCH: z.boolean(),
        approvals: z
          .string()
          .check(
            z.refine(
              (text) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= APPROVALS_MAX,
              t('changes.policy.approvals.invalid', { max: APPROVALS_MAX }),
            ),
          ),
        reason: z.string(),
      }),
    [t],
  )
  const kept = keptForm(resumed, schema)
  const form = useZodForm(schema, {
    defaultValues: kept ?? NEW_POLICY,
  })
  const { control, setValue } = form
  const searchPlaces = usePlaceSearch()
  const policies = useQuery(policiesQuery)
  const environment = useWatch({ control, name: 'environmentKey' })
  const present = policies.data?.items.find(({ environmentKey }) => environmentKey === environment)
  const isRead = policies.data !== undefined
  // the form begins with what the environment has, or a save would weaken what it does not mention
  const begunWith = useRef<Seen | null>(
    kept && { environmentKey: kept.environmentKey, updatedAt: resumed?.target || null },
  )
  useEffect(() => {
    if (!isRead || environment === '' || begunWith.current?.environmentKey === environment) return
    begunWith.current = seenOf(environment, present)
    for (const kind of CHANGE_KINDS)
      setValue(kind, present === undefined ? NEW_POLICY[kind] : present.requiredFor.includes(kind))
    setValue('approvals', present === undefined ? NEW_POLICY.approvals : String(present.approvals))
  }, [isRead, environment, present, setValue])
  const save = useWrite('PUT /change-policies/{environmentKey}', {
    invalidates: ['GET /change-policies', 'GET /change-requests'],
  })
  const submit = useSubmit(
    form,
    async (values) => {
      const { environmentKey } = values
      await save
        .mutateAsync({
          params: { environmentKey },
          body: {
            requiredFor: CHANGE_KINDS.filter((kind) => values[kind]),
            approvals: Number(values.approvals),
            // another one that somebody set meanwhile is not replaced unseen
            updatedAt: begunWith.current?.updatedAt ?? null,
            ...reasonIn(values),
          },
        })
        .catch((error: unknown) => {
          // the refusal says that there is another one, and the list above then shows it
          if (!(error instanceof ApiError) || error.problem.code !== 'CHANGE_POLICY_STALE') throw error
          void policies.refetch().then(({ data }) => {
            const found = data?.items.find((one) => one.environmentKey === environmentKey)
            if (begunWith.current?.environmentKey === environmentKey)
              begunWith.current = seenOf(environmentKey, found)
          })
          throw error
        })
      showToast({ text: t('changes.policy.saved', { environment: environmentKey }) })
      onClose()
    },
    fieldOfRequest(['reason']),
  )
  return (
    <FormDialog
      form={form}
      {...submit}
      title={t('changes.policy.title')}
      description={t('changes.policy.about')}
      submit={t('common.save')}
      errorActions={
        needsSignIn(submit.error?.error.problem.code) && (
          <SignInAgain
            keep={(personId) =>
              keepForm(personId, CHANGE_POLICIES, {
                target: begunWith.current?.updatedAt ?? '',
                values: form.getValues(),
              })
            }
          />
        )
      }
      onClose={onClose}
    >
      {resumed && <Notice icon="info">{t('common.signInAgain.resumed')}</Notice>}
      <PolicyList />
      <Field
        label={t('changes.policy.environment')}
        error={form.formState.errors.environmentKey && t('changes.policy.environment.choose')}
      >
        {(wiring) => (
          <Combobox
            wiring={wiring}
            value={environment === '' ? null : { value: environment, label: environment }}
            readOnly={form.formState.isSubmitting}
            search={async (text) => (await searchPlaces(text)).filter(({ value }) => isKey(value))}
            placeholder={t('changes.policy.environment.choose')}
            onChange={(option) => {
              const key = option?.value ?? ''
              setValue('environmentKey', key, { shouldDirty: true, shouldValidate: key !== '' })
            }}
          />
        )}
      </Field>
      {/* the policies are a list until one of them is to be changed */}
      {environment !== '' && (
        <>
          <fieldset>
            <legend className="mb-2 font-medium">{t('changes.policy.kinds')}</legend>
            <div className="grid items-start gap-2 sm:grid-cols-2">
              {CHANGE_KINDS.map((kind) => (
                <SwitchField key={kind} control={control} name={kind} label={t(`changes.kind.${kind}`)} />
              ))}
            </div>
          </fieldset>
          <NumberField control={control} name="approvals" label={t('changes.policy.approvals')} />
          <ReasonField control={control} />
        </>
      )}
    </FormDialog>
  )
}

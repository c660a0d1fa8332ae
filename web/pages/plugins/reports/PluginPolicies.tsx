import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useController, type Control } from 'react-hook-form'
import * as z from 'zod/mini'
import { isKey } from '#contract/protocol/locator.ts'
import { PLUGIN_POLICIES } from '#contract/console-api/vocabulary.ts'
import { apiQuery } from '../../../api/query.ts'
import { useWrite } from '../../../api/write.ts'
import { useErrorView } from '../../../i18n/describe-code.ts'
import { TextField } from '../../../forms/fields/TextField.tsx'
import { ReasonField } from '../../../forms/fields/ReasonField.tsx'
import { FormDialog } from '../../../forms/dialogs/FormDialog.tsx'
import { reasonIn, useZodForm } from '../../../forms/form/use-zod-form.ts'
import { fieldOfRequest } from '../../../forms/form/server-errors.ts'
import { useSubmit } from '../../../forms/form/use-submit.ts'
import { useText } from '../../../i18n/use-text.ts'
import { keepForm, keptForm, type InterruptedAction } from '../../../subjects/sign-in/interrupted-action.ts'
import { needsSignIn, SignInAgain } from '../../../subjects/sign-in/SignInAgain.tsx'
import { DefinitionList } from '../../../ui/DefinitionList.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Select } from '../../../ui/Select.tsx'
import { SkeletonLines } from '../../../ui/Skeleton.tsx'
import { showToast } from '../../../ui/toast.ts'

/** Where a change of the policies is kept during a sign-in. */
export const PLUGIN_POLICIES_PAGE = 'plugin-policies'

type PolicyForm = { environmentKey: string; policy: string; reason: string }

/** Shows the policy of each environment for plugins without a passing report. Who may change one gets a form for it. */
export function PluginPolicies({
  may,
  resumed,
  onClose,
}: {
  may: boolean
  resumed: InterruptedAction | null
  onClose: () => void
}) {
  const t = useText()
  if (may) return <PolicyDialog resumed={resumed} onClose={onClose} />
  return (
    <Dialog
      open
      title={t('pluginReports.policy.title')}
      description={t('pluginReports.policy.about')}
      onClose={onClose}
    >
      <PolicyList />
      <p className="mt-4 text-muted">{t('pluginReports.policy.readOnly')}</p>
    </Dialog>
  )
}

/** The policies that are set, and the other environments that the person may see. */
function PolicyList() {
  const t = useText()
  const policies = useQuery(apiQuery('GET /plugin-policies', { query: {} }))
  const scopes = useQuery(apiQuery('GET /scopes', { query: { limit: 200 } }))
  const failed = [policies, scopes].find((query) => query.error !== null)
  const error = useErrorView(failed?.error)
  if (failed && error)
    return <ErrorState error={error} retrying={failed.isFetching} onRetry={() => void failed.refetch()} />
  if (!policies.data || !scopes.data) return <SkeletonLines />
  const current = new Map(policies.data.items.map(({ environmentKey, policy }) => [environmentKey, policy]))
  const environments = new Set([
    ...current.keys(),
    ...scopes.data.items.map(({ environmentKey }) => environmentKey),
  ])
  return (
    <DefinitionList
      items={[...environments].toSorted().map((environmentKey) => ({
        label: environmentKey,
        value: t(`pluginReports.policy.${current.get(environmentKey) ?? 'IGNORE'}`),
      }))}
    />
  )
}

function PolicyDialog({ resumed, onClose }: { resumed: InterruptedAction | null; onClose: () => void }) {
  const t = useText()
  const schema = useMemo(
    () =>
      z.object({
        environmentKey: z.string().check(z.refine(isKey, t('pluginReports.policy.invalid'))),
        policy: z.string(),
        reason: z.string(),
      }),
    [t],
  )
  const form = useZodForm(schema, {
    defaultValues: keptForm(resumed, schema) ?? { environmentKey: '', policy: 'WARN', reason: '' },
  })
  const { control } = form
  const save = useWrite('PUT /plugin-policies/{environmentKey}', { invalidates: ['GET /plugin-policies'] })
  const submit = useSubmit(
    form,
    async ({ environmentKey, policy: chosen, reason }) => {
      const policy = PLUGIN_POLICIES.find((name) => name === chosen) ?? 'WARN'
      await save.mutateAsync({ params: { environmentKey }, body: { policy, ...reasonIn({ reason }) } })
      showToast({ text: t('pluginReports.policy.saved', { environment: environmentKey }) })
      onClose()
    },
    fieldOfRequest(['reason']),
  )
  return (
    <FormDialog
      form={form}
      {...submit}
      title={t('pluginReports.policy.title')}
      description={t('pluginReports.policy.about')}
      submit={t('common.save')}
      errorActions={
        needsSignIn(submit.error?.error.problem.code) && (
          <SignInAgain
            keep={(personId) => keepForm(personId, PLUGIN_POLICIES_PAGE, { values: form.getValues() })}
          />
        )
      }
      onClose={onClose}
    >
      {resumed && <Notice icon="info">{t('common.signInAgain.resumed')}</Notice>}
      <PolicyList />
      <TextField
        control={control}
        name="environmentKey"
        kind="key"
        label={t('pluginReports.policy.environment')}
        maxLength={128}
      />
      <PolicyField control={control} label={t('pluginReports.policy.label')} />
      <ReasonField control={control} />
    </FormDialog>
  )
}

function PolicyField({ control, label }: { control: Control<PolicyForm>; label: string }) {
  const t = useText()
  const { field } = useController({ control, name: 'policy' })
  return (
    <Field label={label}>
      {(wiring) => (
        <Select
          {...wiring}
          options={PLUGIN_POLICIES.map((value) => ({ value, label: t(`pluginReports.policy.${value}`) }))}
          value={field.value}
          onBlur={field.onBlur}
          onChange={({ target }) => field.onChange(target.value)}
        />
      )}
    </Field>
  )
}

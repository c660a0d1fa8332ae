import { useMemo } from 'react'
import * as z from 'zod/mini'
import { roleOfText, textOfRole } from '#contract/console-api/role-text.ts'
import type { ServiceAccount } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { FormDialog } from '../../forms/dialogs/FormDialog.tsx'
import { TextField } from '../../forms/fields/TextField.tsx'
import { fieldOfRequest } from '../../forms/form/server-errors.ts'
import { useSubmit } from '../../forms/form/use-submit.ts'
import { useZodForm } from '../../forms/form/use-zod-form.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { keepAction, type InterruptedAction } from '../../subjects/sign-in/interrupted-action.ts'
import { needsSignIn, SignInAgain } from '../../subjects/sign-in/SignInAgain.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { showToast } from '../../ui/toast.ts'
import { SERVICE_ACCOUNTS, targetOf } from './account-action.ts'
import { NEW_ROLE, RolesField } from './RolesField.tsx'

const LIST = { invalidates: ['GET /service-accounts'] as const }
const NAME_MAX = 64

const accountSchema = (t: Translate) =>
  z.object({
    name: z.string().check(z.refine((text) => text.trim() !== '', t('accounts.name.missing'))),
    roles: z
      .array(
        z.string().check(z.refine((text) => roleOfText(text) !== null, t('accounts.roles.place.missing'))),
      )
      .check(z.refine((roles) => roles.length > 0, t('accounts.roles.missing'))),
  })

/** Creates a service account, or changes the roles of one. */
export function RolesDialog({
  account,
  resumed,
  onClose,
}: {
  /** Null: a new one. */
  account: ServiceAccount | null
  /** What the person had entered before they signed in again: the name on the first line, then the roles. */
  resumed: InterruptedAction | null
  onClose: () => void
}) {
  const t = useText()
  const schema = useMemo(() => accountSchema(t), [t])
  const [resumedName, ...resumedRoles] = resumed?.reason.split('\n') ?? []
  const form = useZodForm(schema, {
    defaultValues: {
      name: account?.name ?? resumedName ?? '',
      roles: resumed === null ? (account?.roles.map(textOfRole) ?? [NEW_ROLE]) : resumedRoles,
    },
  })
  const create = useWrite('POST /service-accounts', LIST)
  const save = useWrite('PUT /service-accounts/{accountId}', LIST)
  const submit = useSubmit(
    form,
    async (values) => {
      const roles = values.roles.flatMap((text) => roleOfText(text) ?? [])
      if (account === null) await create.mutateAsync({ body: { name: values.name.trim(), roles } })
      else await save.mutateAsync({ params: { accountId: account.accountId }, body: { roles } })
      showToast({ text: t(account === null ? 'accounts.create.done' : 'accounts.roles.done') })
      onClose()
    },
    fieldOfRequest(['name', 'roles']),
  )
  const target = targetOf(account === null ? { kind: 'create' } : { kind: 'roles', account })
  return (
    <FormDialog
      form={form}
      {...submit}
      title={
        account === null ? t('accounts.create.title') : t('accounts.roles.title', { account: account.name })
      }
      description={t('accounts.form.about')}
      submit={t(account === null ? 'accounts.create' : 'common.save')}
      errorActions={
        needsSignIn(submit.error?.error.problem.code) && (
          <SignInAgain
            keep={(personId) => {
              const { name, roles } = form.getValues()
              return keepAction(personId, SERVICE_ACCOUNTS, { target, reason: [name, ...roles].join('\n') })
            }}
          />
        )
      }
      onClose={onClose}
    >
      {resumed && <Notice icon="info">{t('common.signInAgain.resumed')}</Notice>}
      {account === null && (
        <TextField control={form.control} name="name" label={t('accounts.name')} maxLength={NAME_MAX} />
      )}
      <RolesField control={form.control} />
    </FormDialog>
  )
}

import { useState } from 'react'
import { useWrite } from '../../api/write.ts'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { SecretDialog } from '../../forms/dialogs/SecretDialog.tsx'
import { useText } from '../../i18n/use-text.ts'
import { keepAction } from '../../subjects/sign-in/interrupted-action.ts'
import { needsSignIn, SignInAgain } from '../../subjects/sign-in/SignInAgain.tsx'
import { Field } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Select } from '../../ui/Select.tsx'
import { showToast } from '../../ui/toast.ts'
import { SERVICE_ACCOUNTS, targetOf, type AccountAction } from './account-action.ts'

const LIST = { invalidates: ['GET /service-accounts'] as const }
const TITLES = {
  token: 'accounts.token.title',
  revoke: 'accounts.revoke.title',
  delete: 'accounts.delete.title',
} as const
const DAYS = ['7', '30', '90', '365'] as const

/** Asks for confirmation; of a new token, shows its text once: only this dialog has it. */
export function AccountActionDialog({
  action,
  isResumed,
  onClose,
}: {
  action: Exclude<AccountAction, { kind: 'create' | 'roles' }>
  /** The person left this dialog to sign in again. */
  isResumed: boolean
  onClose: () => void
}) {
  const t = useText()
  const { kind, account } = action
  const [created, setCreated] = useState<{ token: string | null } | null>(null)
  const [days, setDays] = useState<string>('90')
  const create = useWrite('POST /service-accounts/{accountId}/tokens', LIST)
  const revoke = useWrite('DELETE /service-accounts/{accountId}/tokens/{tokenId}', LIST)
  const remove = useWrite('DELETE /service-accounts/{accountId}', LIST)
  const { accountId, name } = account
  if (created) {
    return <SecretDialog of="accounts" secret={created.token} onClose={onClose} />
  }
  return (
    <ConfirmForm
      danger={kind !== 'token'}
      onClose={onClose}
      title={t(TITLES[kind], { account: name })}
      confirm={t(`accounts.${kind}.confirm`)}
      errorActions={(code) =>
        needsSignIn(code) && (
          <SignInAgain
            keep={(personId) =>
              keepAction(personId, SERVICE_ACCOUNTS, { target: targetOf(action), reason: '' })
            }
          />
        )
      }
      send={async () => {
        if (kind === 'token') {
          const { token } = await create.mutateAsync({ params: { accountId }, body: { days: Number(days) } })
          setCreated({ token })
          // the mutation would keep the token too
          create.reset()
          return
        }
        if (kind === 'revoke')
          await revoke.mutateAsync({ params: { accountId, tokenId: action.token.tokenId } })
        else await remove.mutateAsync({ params: { accountId } })
        showToast({ text: t(`accounts.${kind}.done`) })
        onClose()
      }}
    >
      {isResumed && <Notice icon="info">{t('common.signInAgain.resumed')}</Notice>}
      <p>{t(`accounts.${kind}.text`)}</p>
      {kind === 'token' && (
        <Field label={t('accounts.token.days')}>
          {(wiring) => (
            <Select
              {...wiring}
              value={days}
              onChange={({ target }) => setDays(target.value)}
              options={DAYS.map((value) => ({
                value,
                label: t('accounts.token.daysOption', { n: Number(value) }),
              }))}
            />
          )}
        </Field>
      )}
    </ConfirmForm>
  )
}

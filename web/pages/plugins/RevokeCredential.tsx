import type { Plugin, PluginCredential } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { keepAction } from '../../subjects/sign-in/interrupted-action.ts'
import { needsSignIn, SignInAgain } from '../../subjects/sign-in/SignInAgain.tsx'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Id } from '../../ui/Id.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { showToast } from '../../ui/toast.ts'
import { credentialsOf } from './limits.ts'

export function RevokeCredential({
  plugin,
  credential,
  isLast,
  isResumed,
  onClose,
}: {
  plugin: Plugin
  credential: PluginCredential
  isLast: boolean
  /** The person left this dialog to sign in again. */
  isResumed: boolean
  onClose: () => void
}) {
  const t = useText()
  const revoke = useWrite('DELETE /plugins/{pluginId}/credentials/{credentialId}', {
    invalidates: ['GET /plugins', 'GET /plugins/{pluginId}'],
  })
  const { credentialId } = credential
  return (
    <ConfirmForm
      danger
      onClose={onClose}
      title={t('plugins.revoke.title')}
      confirm={t('plugins.revoke.confirm')}
      errorActions={(code) =>
        needsSignIn(code) && (
          <SignInAgain
            keep={(personId) =>
              keepAction(personId, credentialsOf(plugin), { target: credentialId, reason: '' })
            }
          />
        )
      }
      send={async () => {
        await revoke.mutateAsync({ params: { pluginId: plugin.pluginId, credentialId } })
        showToast({ text: t('plugins.revoke.done') })
        onClose()
      }}
    >
      {isResumed && <Notice icon="info">{t('common.signInAgain.resumed')}</Notice>}
      <p>
        <Id id={credentialId} full />
      </p>
      <p>{t('plugins.revoke.text', { plugin: plugin.title })}</p>
      {isLast && <p className="font-medium">{t('plugins.revoke.last')}</p>}
    </ConfirmForm>
  )
}

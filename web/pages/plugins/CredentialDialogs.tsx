import { useState } from 'react'
import type { Plugin, PluginCredential } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { keepAction, type InterruptedAction } from '../../subjects/sign-in/interrupted-action.ts'
import { needsSignIn, SignInAgain } from '../../subjects/sign-in/SignInAgain.tsx'
import { SecretDialog } from '../../forms/dialogs/SecretDialog.tsx'
import { reasonIn } from '../../forms/form/use-zod-form.ts'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Notice } from '../../ui/Notice.tsx'
import { credentialsOf } from './plugin-limits.ts'
import { Id } from '../../ui/Id.tsx'
import { showToast } from '../../ui/toast.ts'

/** Asks for confirmation, then shows the secret once: nothing else in the console keeps it. */
export function CreateCredentialDialog({
  plugin,
  resumed,
  onClose,
}: {
  plugin: Plugin
  /** What the person had entered before they signed in again. */
  resumed: InterruptedAction | null
  onClose: () => void
}) {
  const t = useText()
  const [created, setCreated] = useState<{ secret: string | null } | null>(null)
  const create = useWrite('POST /plugins/{pluginId}/credentials', {
    invalidates: ['GET /plugins', 'GET /plugins/{pluginId}'],
  })
  if (created) {
    return <SecretDialog of="plugins" secret={created.secret} onClose={onClose} />
  }
  return (
    <ConfirmForm
      onClose={onClose}
      title={t('plugins.create.title', { plugin: plugin.title })}
      confirm={t('plugins.create.confirm')}
      reason={{ label: t('plugins.create.reason'), required: false }}
      initialReason={resumed?.reason ?? ''}
      errorActions={(code, reason) =>
        needsSignIn(code) && (
          <SignInAgain
            keep={(personId) => keepAction(personId, credentialsOf(plugin), { target: '', reason })}
          />
        )
      }
      send={async ({ reason }) => {
        const { secret } = await create.mutateAsync({
          params: { pluginId: plugin.pluginId },
          body: reasonIn({ reason }),
        })
        setCreated({ secret })
        // the mutation would keep the secret too
        create.reset()
      }}
    >
      {resumed && <Notice icon="info">{t('common.signInAgain.resumed')}</Notice>}
      <p>{t('plugins.create.text')}</p>
    </ConfirmForm>
  )
}

/** Asks for confirmation, and says so if no other credential of the plugin is valid. */
export function RevokeCredentialDialog({
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

import { useState } from 'react'
import type { Plugin } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { keepAction } from '../../subjects/sign-in/interrupted-action.ts'
import type { InterruptedAction } from '../../subjects/sign-in/interrupted-action.ts'
import { needsSignIn, SignInAgain } from '../../subjects/sign-in/SignInAgain.tsx'
import { SecretDialog } from '../../forms/dialogs/SecretDialog.tsx'
import { reasonIn } from '../../forms/form/use-zod-form.ts'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Notice } from '../../ui/Notice.tsx'
import { credentialsOf } from './limits.ts'

/** Asks for confirmation, then shows the secret once: only this dialog has it. */
export function CreateCredential({
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
    return (
      <SecretDialog
        secret={created.secret}
        texts={{
          title: t('plugins.secret.title'),
          warning: t('plugins.secret.warning'),
          label: t('plugins.secret.label'),
          done: t('plugins.secret.done'),
          lostTitle: t('plugins.secret.lost.title'),
          lost: t('plugins.secret.lost'),
        }}
        onClose={onClose}
      />
    )
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

import { useState } from 'react'
import type { Plugin } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { reasonIn } from '../../forms/form/reason.ts'
import { ConfirmForm } from '../../forms/form/ConfirmForm.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { CodeBlock } from '../../ui/values/CodeBlock.tsx'

/** Asks for confirmation, then shows the secret once: only this dialog has it. */
export function CreateCredential({ plugin, onClose }: { plugin: Plugin; onClose: () => void }) {
  const t = useText()
  const [created, setCreated] = useState<{ secret: string | null } | null>(null)
  const create = useWrite('POST /plugins/{pluginId}/credentials', {
    invalidates: ['GET /plugins', 'GET /plugins/{pluginId}'],
  })
  if (created) return <Secret secret={created.secret} onClose={onClose} />
  return (
    <ConfirmForm
      onClose={onClose}
      title={t('plugins.create.title', { plugin: plugin.title })}
      confirm={t('plugins.create.confirm')}
      reason={{ label: t('plugins.create.reason'), required: false }}
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
      <p>{t('plugins.create.text')}</p>
    </ConfirmForm>
  )
}

function Secret({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  const t = useText()
  return (
    <Dialog
      open
      // closing it by accident would lose the secret permanently
      busy={secret !== null}
      onClose={onClose}
      title={t(secret === null ? 'plugins.secret.lost.title' : 'plugins.secret.title')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t(secret === null ? 'common.close' : 'plugins.secret.done')}
        </Button>
      }
    >
      {secret === null ? (
        <p>{t('plugins.secret.lost')}</p>
      ) : (
        <div className="space-y-4">
          <Notice tone="warn">{t('plugins.secret.warning')}</Notice>
          <CodeBlock text={secret} label={t('plugins.secret.label')} />
        </div>
      )}
    </Dialog>
  )
}

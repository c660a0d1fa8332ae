import { useState } from 'react'
import type { Plugin } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { useErrorView } from '../../components/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { CodeBlock } from '../../ui/values/CodeBlock.tsx'

/** Asks first, then shows the secret once: it lives in this dialog alone and is gone with it. */
export function MakeCredential({ plugin, onClose }: { plugin: Plugin; onClose: () => void }) {
  const t = useText()
  const [made, setMade] = useState<{ secret: string | null } | null>(null)
  const make = useWrite('POST /plugins/{pluginId}/credentials', {
    outdates: ['GET /plugins', 'GET /plugins/{pluginId}'],
  })
  const error = useErrorView(make.error)
  if (made) return <Secret secret={made.secret} onClose={onClose} />
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('plugins.create.title', { plugin: plugin.title })}
      confirm={t('plugins.create.confirm')}
      reason={{ label: t('plugins.create.reason'), required: false }}
      busy={make.isPending}
      error={error}
      onConfirm={({ reason }) =>
        make.mutate(
          { params: { pluginId: plugin.pluginId }, body: reason === '' ? {} : { reason } },
          {
            onSuccess: ({ secret }) => {
              setMade({ secret })
              // nothing but the dialog keeps it
              make.reset()
            },
          },
        )
      }
    >
      <p>{t('plugins.create.text')}</p>
    </ConfirmDialog>
  )
}

function Secret({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  const t = useText()
  return (
    <Dialog
      open
      // a press beside it would lose it for good
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

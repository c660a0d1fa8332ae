import { useState } from 'react'
import { PageGuard, useUnloadGuard } from '../form/LeaveGuard.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { CodeBlock } from '../../ui/value/CodeBlock.tsx'

/** Shows a new secret once: only this dialog has it. A null secret was in a response that was lost. */
export function SecretDialog({
  of,
  secret,
  onClose,
}: {
  /** Whose texts name the secret. */
  of: 'accounts' | 'notifications' | 'plugins'
  secret: string | null
  onClose: () => void
}) {
  const t = useText()
  useUnloadGuard(secret !== null)
  const [isKept, setIsKept] = useState(false)
  const [isConfirmed, setIsConfirmed] = useState(false)
  const isSafe = secret === null || isKept || isConfirmed
  return (
    <Dialog
      open
      // closing it by accident would lose the secret permanently
      busy={secret !== null}
      onClose={onClose}
      title={t(secret === null ? `${of}.secret.lost.title` : `${of}.secret.title`)}
      footer={
        <Button variant="primary" disabledReason={!isSafe && t('common.secret.notCopied')} onClick={onClose}>
          {t(secret === null ? 'common.close' : 'common.secret.done')}
        </Button>
      }
    >
      {secret !== null && <PageGuard isActive onLeave={(decide) => decide(true)} />}
      {secret === null ? (
        <p>{t(`${of}.secret.lost`)}</p>
      ) : (
        <div
          className="space-y-4"
          // selected and copied by hand
          onCopy={() => document.getSelection()?.toString().includes(secret) === true && setIsKept(true)}
        >
          <Notice tone="warn">{t(`${of}.secret.warning`)}</Notice>
          <CodeBlock text={secret} label={t(`${of}.secret.label`)} onCopied={() => setIsKept(true)} />
          {!isKept && (
            <Checkbox checked={isConfirmed} onChange={({ target }) => setIsConfirmed(target.checked)}>
              {t('common.secret.stored')}
            </Checkbox>
          )}
        </div>
      )}
    </Dialog>
  )
}

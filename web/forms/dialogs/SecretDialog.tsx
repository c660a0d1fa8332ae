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
  secret,
  texts,
  onClose,
}: {
  secret: string | null
  texts: { title: string; warning: string; label: string; done: string; lostTitle: string; lost: string }
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
      title={secret === null ? texts.lostTitle : texts.title}
      footer={
        <Button variant="primary" disabledReason={!isSafe && t('common.secret.notCopied')} onClick={onClose}>
          {secret === null ? t('common.close') : texts.done}
        </Button>
      }
    >
      {secret !== null && <PageGuard isActive onLeave={(decide) => decide(true)} />}
      {secret === null ? (
        <p>{texts.lost}</p>
      ) : (
        <div
          className="space-y-4"
          // selected and copied by hand
          onCopy={() => document.getSelection()?.toString().includes(secret) === true && setIsKept(true)}
        >
          <Notice tone="warn">{texts.warning}</Notice>
          <CodeBlock text={secret} label={texts.label} onCopied={() => setIsKept(true)} />
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

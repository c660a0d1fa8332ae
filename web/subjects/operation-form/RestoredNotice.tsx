import { useState } from 'react'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Time } from '../../ui/Time.tsx'
import type { FormDraft } from './use-form-draft.ts'

/** Says that earlier input was restored, if it was, and discards it. */
export function RestoredNotice({ draft, onClear }: { draft: FormDraft; onClear: () => void }) {
  const t = useText()
  const rich = useRichText()
  const [isAsking, setAsking] = useState(false)
  if (draft.restored === null) return null
  const since = new Date(draft.restored.since).toISOString()
  const discard = () => {
    setAsking(false)
    onClear()
    draft.remove()
    draft.dismiss()
  }
  return (
    <Notice
      tone="info"
      live
      actions={
        <Button size="sm" onClick={() => setAsking(true)}>
          {t('installations.draft.discard')}
        </Button>
      }
    >
      {rich('installations.draft.restored', { when: <Time at={since} /> })}
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={discard}
        title={t('installations.draft.discard.title')}
        confirm={t('installations.draft.discard')}
        danger
        busy={false}
        error={null}
      >
        {t('installations.draft.discard.text')}
      </ConfirmDialog>
    </Notice>
  )
}

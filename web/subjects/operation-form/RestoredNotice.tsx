import { useRichText, useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Time } from '../../ui/Time.tsx'
import type { FormDraft } from './use-form-draft.ts'

/** Says that earlier input was restored, if it was, and discards it. */
export function RestoredNotice({ draft, onClear }: { draft: FormDraft; onClear: () => void }) {
  const t = useText()
  const rich = useRichText()
  if (draft.restored === null) return null
  const since = new Date(draft.restored.since).toISOString()
  const discard = () => {
    onClear()
    draft.remove()
    draft.dismiss()
  }
  return (
    <Notice
      tone="info"
      live
      actions={
        <Button size="sm" onClick={discard}>
          {t('installations.draft.discard')}
        </Button>
      }
    >
      {rich('installations.draft.restored', { when: <Time at={since} /> })}
    </Notice>
  )
}

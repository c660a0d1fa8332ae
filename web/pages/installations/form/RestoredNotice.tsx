import { useRichText, useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { Time } from '../../../ui/Time.tsx'

/** Says that earlier input was restored, and discards it. */
export function RestoredNotice({ since, onDiscard }: { since: number; onDiscard: () => void }) {
  const t = useText()
  const rich = useRichText()
  return (
    <Notice
      tone="info"
      live
      actions={
        <Button size="sm" onClick={onDiscard}>
          {t('installations.draft.discard')}
        </Button>
      }
    >
      {rich('installations.draft.restored', { when: <Time at={new Date(since).toISOString()} /> })}
    </Notice>
  )
}

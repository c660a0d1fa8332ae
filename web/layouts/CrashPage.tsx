import { useState } from 'react'
import { useLastWrite } from '../api/write.ts'
import { useText } from '../i18n/use-text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

/** A person who has just saved wonders whether it was saved. */
const RECENT_MS = 60_000

/** Shown when a page crashes, or its chunk is missing after a newer console was deployed; a reload fixes the latter. */
export function CrashPage() {
  const t = useText()
  const write = useLastWrite()
  const [shownAt] = useState(Date.now)
  const isRecent = write !== null && shownAt - write.at < RECENT_MS
  return (
    <div role="alert">
      <EmptyState
        icon="warning"
        title={t('shell.crash.title')}
        message={
          isRecent ? (
            <>
              {t('shell.crash.message')} <strong>{t(`shell.crash.write.${write.state}`)}</strong>
            </>
          ) : (
            t('shell.crash.message')
          )
        }
        action={
          <Button icon="retry" onClick={() => location.reload()}>
            {t('shell.crash.reload')}
          </Button>
        }
      />
    </div>
  )
}

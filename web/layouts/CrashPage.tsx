import { useState } from 'react'
import { useLastWrite } from '../api/write.ts'
import { MissingPartError } from '../base/load-with-retry.ts'
import { useText } from '../i18n/use-text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

/** A person who has just saved wonders whether it was saved. */
const RECENT_MS = 60_000

/** Shown when a page crashes, or a part of it is missing while a newer console is deployed; a reload fixes the latter. */
export function CrashPage({ error }: { error: unknown }) {
  const t = useText()
  const message = t(error instanceof MissingPartError ? 'shell.crash.newVersion' : 'shell.crash.message')
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
              {message} <strong>{t(`shell.crash.write.${write.state}`)}</strong>
            </>
          ) : (
            message
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

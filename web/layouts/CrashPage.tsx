import { useText } from '../i18n/use-text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

/** Shown when a page crashes, or its chunk is missing after a newer console was deployed; a reload fixes the latter. */
export function CrashPage() {
  const t = useText()
  return (
    <div role="alert">
      <EmptyState
        icon="warning"
        title={t('shell.crash.title')}
        message={t('shell.crash.message')}
        action={
          <Button icon="retry" onClick={() => location.reload()}>
            {t('shell.crash.reload')}
          </Button>
        }
      />
    </div>
  )
}

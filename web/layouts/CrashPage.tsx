import { useText } from '../i18n/use-text.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'

/** When a page breaks, or its chunk is gone because a newer console was deployed: reloading mends the second. */
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

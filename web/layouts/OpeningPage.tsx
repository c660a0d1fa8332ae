import { useText } from '../i18n/use-text.ts'
import { EmptyState } from '../ui/EmptyState.tsx'
import { SkeletonLines } from '../ui/Skeleton.tsx'
import { Page } from './Page.tsx'
import { useShell } from '../subjects/shell/shell-context.ts'

/** Replaces the previous page when the next one takes longer than a second to load. */
export function OpeningPage() {
  const t = useText()
  const { connection } = useShell()
  return (
    <Page title={t('common.loading')}>
      {connection === 'lost' ? (
        <EmptyState icon="offline" title={t('shell.opening.lost')} message={t('shell.opening.message')} />
      ) : (
        <SkeletonLines lines={8} />
      )}
    </Page>
  )
}

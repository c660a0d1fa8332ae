import { useText } from '../i18n/use-text.ts'
import { Icon } from '../ui/icons/Icon.tsx'

/** Shown by the script of the preview while the scripts of the page cannot be loaded. */
export function LostNotice() {
  const t = useText()
  return (
    <p
      data-lost=""
      hidden
      role="alert"
      className="fixed inset-x-4 bottom-4 z-50 mx-auto flex w-fit flex-wrap items-center gap-x-2 rounded-md bg-raised px-4 py-2 shadow-2"
    >
      <Icon name="offline" className="text-muted" />
      <strong className="font-medium">{t('shell.opening.lost')}</strong>
      <span>{t('shell.opening.message')}</span>
    </p>
  )
}

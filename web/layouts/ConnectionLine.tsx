import { READ_AGAIN_MS } from '../api/refetch-interval.ts'
import { useText } from '../i18n/use-text.ts'
import { Icon } from '../ui/Icon.tsx'
import { useShell } from '../subjects/shell/shell-context.ts'

/**
 * Says while no updates arrive: at the foot of the navigation, or in the bar on small screens. Both places are empty
 * otherwise, so it covers nothing and moves nothing.
 */
export function ConnectionLine() {
  const t = useText()
  const { connection } = useShell()
  return (
    <output className="print:hidden pointer-events-none fixed top-1.5 right-12 left-45 z-30 flex h-9 items-center justify-end lg:top-auto lg:right-auto lg:bottom-14 lg:left-2 lg:w-56 lg:justify-center">
      {connection !== 'live' && (
        <span className="flex min-w-0 animate-appear items-center gap-2 rounded-md bg-ink px-2 py-0.5 text-xs/4 font-medium text-inverse">
          <Icon name="offline" size={14} className="shrink-0" />
          <span className="line-clamp-2">
            {connection === 'polling'
              ? t('shell.connection.polling', { seconds: READ_AGAIN_MS / 1000 })
              : t(`shell.connection.${connection}`)}
          </span>
        </span>
      )}
    </output>
  )
}

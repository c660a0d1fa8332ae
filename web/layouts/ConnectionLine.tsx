import { useText } from '../i18n/use-text.ts'
import { Icon } from '../ui/icons/Icon.tsx'
import { useShell } from './shell-context.ts'

/** An unobtrusive line while no updates arrive. It overlays the edge of the page, so the layout does not shift. */
export function ConnectionLine() {
  const t = useText()
  const { connection } = useShell()
  return (
    <output className="pointer-events-none fixed inset-x-0 bottom-3 z-30 flex justify-center">
      {connection !== 'live' && (
        <span className="flex h-7 animate-appear items-center gap-2 rounded-full bg-ink px-3 text-xs font-medium text-inverse shadow-2">
          <Icon name="offline" size={14} />
          {t(`shell.connection.${connection}`)}
        </span>
      )}
    </output>
  )
}

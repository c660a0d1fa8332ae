import { useText } from '../i18n/use-text.ts'
import { useModal } from '../ui/dialog/use-modal.ts'
import { Icon } from '../ui/icons/Icon.tsx'

/** What was typed before the command palette had loaded: the text, then the keys that {@link isPaletteKey} names. */
export type Typed = { text: string; keys: readonly string[] }

/** Whether the command palette handles the key. */
export const isPaletteKey = (key: string): boolean => ['ArrowDown', 'ArrowUp', 'Enter'].includes(key)

/** Replaces the command palette while it loads, and reports what is typed. */
export function PaletteInput({
  typed,
  onType,
  onClose,
}: {
  typed: Typed
  onType: (typed: Typed) => void
  onClose: () => void
}) {
  const t = useText()
  const dialog = useModal((shown) => shown.querySelector('input'))
  return (
    <dialog
      ref={dialog}
      aria-label={t('shell.palette.title')}
      onClose={({ currentTarget }) => !currentTarget.open && onClose()}
      className={paletteStyle.dialog}
    >
      <div className={paletteStyle.head}>
        <Icon name="search" className="text-faint" />
        <input
          aria-label={t('shell.palette.open')}
          placeholder={t('shell.palette.open')}
          maxLength={128}
          spellCheck={false}
          autoComplete="off"
          value={typed.text}
          onChange={({ target }) => onType({ text: target.value, keys: [] })}
          onKeyDown={(event) => {
            if (isPaletteKey(event.key) && !event.nativeEvent.isComposing)
              onType({ text: typed.text, keys: [...typed.keys, event.key] })
          }}
          className={paletteStyle.input}
        />
      </div>
    </dialog>
  )
}

export const paletteStyle = {
  dialog:
    'mx-auto mt-[12vh] mb-auto w-[min(40rem,calc(100vw-1.5rem))] animate-appear overflow-hidden rounded-lg bg-raised shadow-3',
  head: 'flex items-center gap-2.5 border-b border-line px-4',
  input: 'h-12 min-w-0 flex-1 bg-transparent text-md outline-none',
}

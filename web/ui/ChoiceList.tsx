import { useText } from '../i18n/use-text.ts'
import { Checkbox } from './Checkbox.tsx'
import type { Choice } from './ChoiceFilter.tsx'
import { Icon } from './icons/Icon.tsx'
import { toneText } from './tone.ts'

/** The popup of a filter with several values. */
export function ChoiceList({
  choices,
  chosen,
  onChange,
}: {
  choices: readonly Choice[]
  chosen: readonly Choice[]
  onChange: (value: string | undefined) => void
}) {
  const t = useText()
  const toggle = (toggled: Choice) => {
    const next = choices.filter((choice) => (choice === toggled) !== chosen.includes(choice))
    onChange(next.length === 0 ? undefined : next.map((choice) => choice.value).join(','))
  }
  return (
    <>
      <div className="p-1">
        {choices.map((choice) => (
          <div key={choice.value} className="flex">
            <Checkbox
              checked={chosen.includes(choice)}
              onChange={() => toggle(choice)}
              className="min-h-8 flex-1 rounded-md px-1.5 hover:bg-hover"
            >
              <span className="flex items-center gap-1.5 pr-3">
                {choice.icon && (
                  <Icon name={choice.icon} size={14} className={toneText[choice.tone ?? 'quiet']} />
                )}
                {choice.label}
              </span>
            </Checkbox>
          </div>
        ))}
      </div>
      {chosen.length > 0 && (
        <div className="border-t border-line p-1">
          <button
            type="button"
            onClick={() => onChange(undefined)}
            className="h-7 w-full rounded-md px-1.5 text-left text-muted -outline-offset-2 hover:bg-hover hover:text-ink"
          >
            {t('common.clear')}
          </button>
        </div>
      )}
    </>
  )
}

import { joinList } from '../../i18n/punctuation.ts'
import { useText } from '../../i18n/use-text.ts'
import { Icon, type IconName } from '../Icon.tsx'
import { Popup } from '../Popup.tsx'
import { type Tone, toneText } from '../tone.ts'
import { Checkbox } from '../Checkbox.tsx'
import { FilterButton } from './FilterBar.tsx'

export type Choice<Value extends string = string> = {
  value: Value
  label: string
  icon?: IconName
  tone?: Tone
}

/** A filter with several values, in the format of the address and the API: `FAILED,WAITING`. */
export function ChoiceFilter({
  label,
  value,
  choices,
  onChange,
}: {
  label: string
  value: string | undefined
  choices: readonly Choice[]
  onChange: (value: string | undefined) => void
}) {
  const t = useText()
  const chosen = choices.filter((choice) => value?.split(',').includes(choice.value))
  return (
    <Popup
      label={label}
      renderTrigger={(props) => (
        <FilterButton
          {...props}
          label={label}
          chosen={
            chosen.length > 2
              ? t('common.filter.selected', { n: chosen.length })
              : chosen.length > 0
                ? joinList(
                    t,
                    chosen.map((choice) => choice.label),
                  )
                : undefined
          }
        />
      )}
    >
      <ChoiceList choices={choices} chosen={chosen} onChange={onChange} />
    </Popup>
  )
}

/** The popup of a filter with several values. */
function ChoiceList({
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

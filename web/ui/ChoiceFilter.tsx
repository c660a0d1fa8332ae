import { joinList } from '../i18n/punctuation.ts'
import { useText } from '../i18n/use-text.ts'
import { cx } from './class-names.ts'
import { Icon, type IconName } from './icons/Icon.tsx'
import { Popup } from './Popup.tsx'
import type { Tone } from './tone.ts'
import { ChoiceList } from './ChoiceList.tsx'

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
        <button
          type="button"
          {...props}

          className={cx(
            'inline-flex h-8 max-w-full items-center gap-1.5 rounded-md border px-2.5',
            chosen.length > 0
              ? 'border-accent-line bg-accent-tint'
              : 'border-line-strong bg-surface hover:border-control',
          )}
        >
          <span className={chosen.length > 0 ? 'text-muted' : undefined}>{label}</span>
          {chosen.length > 0 && (
            <span className="min-w-0 truncate font-medium">
              {chosen.length > 2
                ? t('common.filter.selected', { n: chosen.length })
                : joinList(
                    t,
                    chosen.map((choice) => choice.label),
                  )}
            </span>
          )}
          <Icon name="chevronDown" size={12} className="text-muted" />
        </button>
      )}
    >
      <ChoiceList choices={choices} chosen={chosen} onChange={onChange} />
    </Popup>
  )
}

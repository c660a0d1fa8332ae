import { Button } from '../Button.tsx'
import { FilterButton, FilterChip } from './FilterBar.tsx'
import { closePopup, Popup } from '../Popup.tsx'
import { useId, useState } from 'react'
import { useText } from '../../i18n/use-text.ts'
import { Field } from '../Field.tsx'
import { TextInput } from '../TextInput.tsx'

export type TextFilter = {
  name: string
  label: string
  value: string | undefined
  /** Known values, suggested while typing; other values are also accepted. */
  suggestions?: readonly string[] | undefined
}

/**
 * Filters by exact keys: entered together in a popup, then shown as removable chips. Submitting the form
 * applies them together.
 */
export function TextFilters({
  label,
  filters,
  onChange,
  onOpen,
}: {
  label: string
  filters: readonly TextFilter[]
  onChange: (values: Record<string, string | undefined>) => void
  /** Called when the person is about to type, to fetch suggestions. */
  onOpen?: () => void
}) {
  const chosen = filters.filter((filter) => filter.value !== undefined)
  return (
    <>
      <Popup
        label={label}
        renderTrigger={(props) => (
          <FilterButton {...props} label={label} onPointerEnter={onOpen} onFocus={onOpen} />
        )}
      >
        {/* remounts when the values change from outside */}
        <TextFilterForm
          key={filters.map(({ value }) => value ?? '').join('\n')}
          filters={filters}
          onChange={onChange}
        />
      </Popup>
      {chosen.map((filter) => (
        <FilterChip
          key={filter.name}
          label={filter.label}
          value={<span className="mono">{filter.value}</span>}
          onRemove={() => onChange({ [filter.name]: undefined })}
        />
      ))}
    </>
  )
}

/** The popup of the text filters: one field each. */
function TextFilterForm({
  filters,
  onChange,
}: {
  filters: readonly TextFilter[]
  onChange: (values: Record<string, string | undefined>) => void
}) {
  const t = useText()
  const id = useId()
  const [typed, setTyped] = useState<Record<string, string>>({})
  return (
    <form
      className="w-72 max-w-[calc(100vw-2rem)] space-y-3 p-2"
      onSubmit={(event) => {
        event.preventDefault()
        closePopup(event.currentTarget)
        onChange(
          Object.fromEntries(Object.entries(typed).map(([name, text]) => [name, text.trim() || undefined])),
        )
      }}
    >
      {filters.map(({ name, label, value, suggestions }) => (
        <Field key={name} label={label}>
          {(wiring) => (
            <>
              <TextInput
                {...wiring}
                code
                maxLength={128}
                list={suggestions && `${id}-${name}`}
                value={typed[name] ?? value ?? ''}
                onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
              />
              {suggestions && (
                <datalist id={`${id}-${name}`}>
                  {suggestions.map((suggestion) => (
                    <option key={suggestion}>{suggestion}</option>
                  ))}
                </datalist>
              )}
            </>
          )}
        </Field>
      ))}
      <Button type="submit" variant="primary" className="w-full">
        {t('common.filter.apply')}
      </Button>
    </form>
  )
}

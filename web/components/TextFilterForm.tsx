import { useId, useState } from 'react'
import { useText } from '../i18n/use-text.ts'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { closePopup } from '../ui/Popup.tsx'
import { TextInput } from '../ui/TextInput.tsx'
import type { TextFilter } from './TextFilters.tsx'

/** The popup of the text filters: one field each. */
export function TextFilterForm({
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

import { Button } from '../ui/Button.tsx'
import { FilterChip } from '../ui/Filters.tsx'
import { Popup } from '../ui/Popup.tsx'
import { TextFilterForm } from './TextFilterForm.tsx'

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
          <Button {...props} icon="filter" onPointerEnter={onOpen} onFocus={onOpen}>
            {label}
          </Button>
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

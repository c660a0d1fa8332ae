import { parseScope } from '../../../subjects/scopes/scope-text.ts'
import { scopeOption, useScopeSearch } from '../../../subjects/scopes/use-scope-search.ts'
import { useText } from '../../../i18n/use-text.ts'
import type { ScopeKey } from '../../../addresses/paths.ts'
import { Combobox } from '../../../ui/Combobox.tsx'
import { Field } from '../../../ui/Field.tsx'

/** The scope to install into: a known one, or any other, typed in full. */
export function ScopeChoice({
  scope,
  onChange,
}: {
  scope: ScopeKey | null
  onChange: (scope: ScopeKey | null) => void
}) {
  const t = useText()
  const search = useScopeSearch()
  return (
    <Field
      label={t('installations.install.scope')}
      help={t('installations.install.scope.help')}
      className="max-w-md"
    >
      {(wiring) => (
        <Combobox
          wiring={wiring}
          value={scope && scopeOption(scope)}
          search={search}
          placeholder={t('installations.install.scope.placeholder')}
          onChange={(option) => onChange(option && parseScope(option.value))}
        />
      )}
    </Field>
  )
}

import { parseScope, scopeText } from '../../components/scope-text.ts'
import { useScopeSearch } from '../../components/use-scope-search.ts'
import { ScopeText } from '../../components/ScopeText.tsx'
import { useText } from '../../i18n/use-text.ts'
import type { ScopeKey } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Combobox } from '../../ui/Combobox.tsx'
import { Field } from '../../ui/Field.tsx'

/** The scopes that may use a service: chosen from the known ones, or typed out. */
export function ConsumersField({
  consumers,
  onChange,
}: {
  consumers: readonly ScopeKey[]
  onChange: (consumers: ScopeKey[]) => void
}) {
  const t = useText()
  const search = useScopeSearch()
  const names = new Set(consumers.map(scopeText))
  return (
    <Field label={t('services.form.consumers')} help={t('services.form.consumers.help')} need="optional">
      {(wiring) => (
        <div className="space-y-2">
          {consumers.length > 0 && (
            <ul className="max-h-48 divide-y divide-line overflow-y-auto rounded-md border border-line">
              {consumers.map((scope) => (
                <li
                  key={scopeText(scope)}
                  className="flex items-center justify-between gap-2 py-0.5 pr-1 pl-2.5"
                >
                  <ScopeText scope={scope} />
                  <Button
                    size="sm"
                    variant="quiet"
                    icon="close"
                    label={t('services.form.consumers.remove', { scope: scopeText(scope) })}
                    onClick={() => onChange(consumers.filter((other) => other !== scope))}
                  />
                </li>
              ))}
            </ul>
          )}
          <Combobox
            wiring={wiring}
            value={null}
            placeholder={t('services.form.consumers.add')}
            search={async (text) => (await search(text)).filter(({ value }) => !names.has(value))}
            onChange={(option) => {
              const scope = option && parseScope(option.value)
              if (scope) onChange([...consumers, scope])
            }}
          />
        </div>
      )}
    </Field>
  )
}

import { useController, type Control } from 'react-hook-form'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import { parseScope, scopeText } from '../../subjects/scopes/scope-text.ts'
import { useScopeSearch } from '../../subjects/scopes/use-scope-search.ts'
import { useFormBusy } from '../../forms/form/Form.tsx'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { Combobox } from '../../ui/Combobox.tsx'
import { Field } from '../../ui/Field.tsx'
import type { ServiceForm } from './service-form.ts'

/** The scopes that may use a service: selected from the known ones, or typed in full. */
export function ConsumersField({ control }: { control: Control<ServiceForm> }) {
  const t = useText()
  const search = useScopeSearch()
  const busy = useFormBusy()
  const { field, fieldState } = useController({ control, name: 'consumers' })
  const names = new Set(field.value.map(scopeText))
  return (
    <Field
      label={t('services.form.consumers')}
      help={t('services.form.consumers.help')}
      error={fieldState.error?.message}
      need="optional"
    >
      {(wiring) => (
        <div className="space-y-2">
          {field.value.length > 0 && (
            <ul className="max-h-48 divide-y divide-line overflow-y-auto rounded-md border border-line">
              {field.value.map((scope) => (
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
                    busy={busy}
                    onClick={() => field.onChange(field.value.filter((other) => other !== scope))}
                  />
                </li>
              ))}
            </ul>
          )}
          <Combobox
            wiring={wiring}
            value={null}
            placeholder={t('services.form.consumers.add')}
            readOnly={busy}
            search={async (text) => (await search(text)).filter(({ value }) => !names.has(value))}
            onChange={(option) => {
              const scope = option && parseScope(option.value)
              if (scope) field.onChange([...field.value, scope])
            }}
          />
        </div>
      )}
    </Field>
  )
}

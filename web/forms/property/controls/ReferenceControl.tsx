import { useText } from '../../../i18n/use-text.ts'
import { Select } from '../../../ui/Select.tsx'
import type { ControlProps } from './control-props.ts'
import { useServiceOptions } from './use-service-options.ts'

/** One service, by its logical name. */
export function ReferenceControl({ definition, value, onEdit, wiring, readOnly, scope }: ControlProps) {
  const t = useText()
  const chosen = value?.['@type'] === 'ServiceReference' ? value.serviceId : ''
  const { options, note } = useServiceOptions(scope, [chosen])
  return (
    <div>
      <Select
        {...wiring}
        value={chosen}
        disabled={readOnly}
        options={options}
        placeholder={t(definition.required === true ? 'forms.reference.choose' : 'forms.reference.none')}
        onChange={(event) =>
          onEdit(
            event.target.value === ''
              ? { kind: 'removed' }
              : { kind: 'set', value: { '@type': 'ServiceReference', serviceId: event.target.value } },
          )
        }
      />
      {note !== null && <p className="mt-1 text-xs text-muted">{note}</p>}
    </div>
  )
}

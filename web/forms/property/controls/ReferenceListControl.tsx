import type { ServiceReference } from '#contract/protocol/typed-value.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Select } from '../../../ui/Select.tsx'
import type { ControlProps } from './control-props.ts'
import { ListEditor } from './ListEditor.tsx'
import { useServiceOptions } from './use-service-options.ts'

/** An ordered list of services. The order is significant to the bundle. */
export function ReferenceListControl({ value, onEdit, wiring, readOnly, scope }: ControlProps) {
  const t = useText()
  const items = value?.['@type'] === 'ServiceReferenceList' ? value.valueList : []
  const { options, note } = useServiceOptions(
    scope,
    items.map((item) => item.serviceId),
  )
  const first = options.find((option) => !items.some((item) => item.serviceId === option.value)) ?? options[0]
  return (
    <div>
      <ListEditor<ServiceReference>
        items={items}
        empty={{ '@type': 'ServiceReference', serviceId: first?.value ?? '' }}
        readOnly={readOnly || first === undefined}
        wiring={wiring}
        onChange={(valueList) =>
          onEdit({ kind: 'set', value: { '@type': 'ServiceReferenceList', valueList } })
        }
        renderItem={(item, change, index) => (
          <Select
            className="flex-1"
            aria-label={t('forms.list.item', { n: index + 1 })}
            value={item.serviceId}
            disabled={readOnly}
            options={options}
            onChange={(event) => change({ '@type': 'ServiceReference', serviceId: event.target.value })}
          />
        )}
      />
      {note !== null && <p className="mt-1 text-xs text-muted">{note}</p>}
    </div>
  )
}

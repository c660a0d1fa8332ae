import { useState } from 'react'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { Select } from '../../../ui/Select.tsx'
import { TextInput } from '../../../ui/TextInput.tsx'
import type { ControlProps } from './control-props.ts'
import { groupProps } from './control-props.ts'
import { useServiceOptions } from './use-service-options.ts'

/** Services by business key. */
export function ReferenceMapControl({ value, onEdit, wiring, readOnly, scope }: ControlProps) {
  const t = useText()
  const [newKey, setNewKey] = useState('')
  const valueMap = value?.['@type'] === 'ServiceReferenceMap' ? value.valueMap : {}
  const entries = Object.entries(valueMap)
  const { options, note } = useServiceOptions(
    scope,
    entries.map(([, item]) => item.serviceId),
  )
  const save = (next: [string, { '@type': 'ServiceReference'; serviceId: string }][]) =>
    onEdit({ kind: 'set', value: { '@type': 'ServiceReferenceMap', valueMap: Object.fromEntries(next) } })
  const first = options[0]?.value
  const key = newKey.trim()
  const canAdd = key !== '' && !Object.hasOwn(valueMap, key) && first !== undefined
  const add = () => {
    if (!canAdd) return
    save([...entries, [key, { '@type': 'ServiceReference', serviceId: first }]])
    setNewKey('')
  }
  return (
    <div {...groupProps(wiring)} className="flex flex-col gap-1.5 rounded-md">
      {entries.length === 0 && (
        <p className="flex min-h-8 items-center text-faint italic">{t('forms.map.empty')}</p>
      )}
      {entries.map(([name, item]) => (
        <div key={name} className="flex items-center gap-2">
          <span className="mono w-32 shrink-0 truncate" title={name}>
            {name}
          </span>
          <Select
            className="min-w-0 flex-1"
            aria-label={t('forms.map.service', { key: name })}
            value={item.serviceId}
            disabled={readOnly}
            options={options}
            onChange={(event) =>
              save(
                entries.map((entry) =>
                  entry[0] === name
                    ? [name, { '@type': 'ServiceReference', serviceId: event.target.value }]
                    : entry,
                ),
              )
            }
          />
          {!readOnly && (
            <Button
              variant="quiet"
              size="sm"
              icon="close"
              label={t('forms.map.remove', { key: name })}
              onClick={() => save(entries.filter((entry) => entry[0] !== name))}
            />
          )}
        </div>
      ))}
      {!readOnly && (
        <div className="flex gap-2">
          <TextInput
            code
            className="w-40"
            aria-label={t('forms.map.newKey')}
            placeholder={t('forms.map.newKey')}
            value={newKey}
            onChange={(event) => setNewKey(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              event.preventDefault()
              add()
            }}
          />
          <Button icon="plus" onClick={add}>
            {t('forms.map.add')}
          </Button>
        </div>
      )}
      {note !== null && <p className="text-xs text-muted">{note}</p>}
    </div>
  )
}

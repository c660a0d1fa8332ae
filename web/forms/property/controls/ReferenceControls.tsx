import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { ServiceReference, TypedValue } from '#contract/protocol/typed-value.ts'
import { availableServicesCall } from '#contract/console-api/pages/services.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Select, type Option } from '../../../ui/Select.tsx'
import { type ControlProps, groupProps, nameOf } from './control-props.ts'
import { ListEditor } from './ListControl.tsx'
import { Button } from '../../../ui/Button.tsx'
import { TextInput } from '../../../ui/TextInput.tsx'
import { PropertyValueView } from '../../../ui/value/ValueView.tsx'
import { apiQuery } from '../../../api/query.ts'

/** One service, by its logical name. */
export function ReferenceControl({ definition, value, onEdit, wiring, readOnly, scope }: ControlProps) {
  const t = useText()
  const chosen = value?.['@type'] === 'ServiceReference' ? value.serviceId : ''
  const { optionsWith, note } = useServices(scope)
  return (
    <div>
      <Select
        {...wiring}
        value={chosen}
        disabled={readOnly}
        options={optionsWith(chosen)}
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

/** An ordered list of services. The order is significant to the bundle. */
export function ReferenceListControl({ value, onEdit, wiring, readOnly, scope }: ControlProps) {
  const t = useText()
  const items = value?.['@type'] === 'ServiceReferenceList' ? value.valueList : []
  const { offered, optionsWith, note } = useServices(scope)
  if (value !== null && items.length > REFERENCES_MAX) return <TooMany value={value} wiring={wiring} />
  const taken = new Set(items.map(({ serviceId }) => serviceId))
  const first = offered.find((id) => !taken.has(id)) ?? offered[0] ?? items[0]?.serviceId
  return (
    <div>
      <ListEditor<ServiceReference>
        items={items}
        empty={{ '@type': 'ServiceReference', serviceId: first ?? '' }}
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
            options={optionsWith(item.serviceId)}
            onChange={(event) => change({ '@type': 'ServiceReference', serviceId: event.target.value })}
          />
        )}
      />
      {note !== null && <p className="mt-1 text-xs text-muted">{note}</p>}
    </div>
  )
}

/** Services by business key. */
export function ReferenceMapControl({ value, onEdit, wiring, readOnly, scope }: ControlProps) {
  const t = useText()
  const [newKey, setNewKey] = useState('')
  const valueMap = value?.['@type'] === 'ServiceReferenceMap' ? value.valueMap : {}
  const entries = Object.entries(valueMap)
  const { offered, optionsWith, note } = useServices(scope)
  if (value !== null && entries.length > REFERENCES_MAX) return <TooMany value={value} wiring={wiring} />
  const save = (next: [string, { '@type': 'ServiceReference'; serviceId: string }][]) =>
    onEdit({ kind: 'set', value: { '@type': 'ServiceReferenceMap', valueMap: Object.fromEntries(next) } })
  const first = offered[0] ?? entries[0]?.[1].serviceId
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
            options={optionsWith(item.serviceId)}
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
              of={nameOf(wiring)}
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
          <Button icon="plus" of={nameOf(wiring)} onClick={add}>
            {t('forms.map.add')}
          </Button>
        </div>
      )}
      {note !== null && <p className="text-xs text-muted">{note}</p>}
    </div>
  )
}

/** Each reference has a field with all services as its options. With more of them, a browser stands still. */
const REFERENCES_MAX = 200

function TooMany({ value, wiring }: Pick<ControlProps, 'wiring'> & { value: TypedValue }) {
  const t = useText()
  return (
    <div {...groupProps(wiring)} className="rounded-md">
      <PropertyValueView value={value} />
      <p className="mt-1 text-xs text-muted">{t('forms.reference.tooMany')}</p>
    </div>
  )
}

/** The services available to a scope, also as the options beside a chosen one, which may not be available. */
function useServices(scope: Scope): {
  offered: readonly string[]
  optionsWith: (chosen: string) => Option[]
  note: string | null
} {
  const t = useText()
  const services = useQuery(apiQuery('GET /services', availableServicesCall(scope)))
  const items = services.data?.items.filter((service) => service.enabled) ?? []
  const offered = items.map(({ serviceId }) => serviceId)
  const options = items.map(({ serviceId, title }) => ({
    value: serviceId,
    label: `${title} (${serviceId})`,
  }))
  return {
    offered,
    optionsWith: (chosen) =>
      chosen === '' || offered.includes(chosen)
        ? options
        : [
            {
              value: chosen,
              label: services.isSuccess ? t('forms.reference.unknown', { service: chosen }) : chosen,
            },
            ...options,
          ],
    note: services.isError
      ? t('forms.reference.failed')
      : services.isPending
        ? t('forms.reference.loading')
        : null,
  }
}

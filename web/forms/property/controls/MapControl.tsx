import { isJsonObject } from '#contract/json-schema/json.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { useLayoutEffect, useRef, useState } from 'react'
import { useText } from '../../../i18n/use-text.ts'
import { schemaOf } from '../control-kind.ts'
import { dataValue, editWith } from '../property-edit.ts'
import { entriesIn, mapOf, heldAfterEdit, newEntry, settle, shownHeld, type Entry } from '../held-value.ts'
import { fitsControl, problemPointers, firstValue, pointersInside } from '../inner-value.ts'
import { ANY, entriesOf } from '../schema-parts.ts'
import { AsJson } from './AsJson.tsx'
import { groupProps, nameOf, type ControlProps } from './control-props.ts'
import { useEmptyText } from './empty-text.ts'
import { TextButton } from './TextButton.tsx'
import { useJsonMode } from './use-json-mode.ts'
import { Button } from '../../../ui/Button.tsx'
import { FieldErrorText } from '../../../ui/Field.tsx'
import { TextInput } from '../../../ui/TextInput.tsx'
import { partError } from '../edit-error.ts'

/** An object with keys of its own: labels, settings of an environment. */
export function MapControl(props: ControlProps) {
  const { definition, value, unfinished, parts, onEdit, wiring, readOnly, problems } = props
  const t = useText()
  const notSet = useEmptyText()
  const schema = schemaOf(definition)
  const data = dataValue(value)
  const { isJson, toJson, toForm } = useJsonMode(unfinished === null && fitsControl(schema, data), data)
  if (isJson) return <AsJson {...props} onForm={toForm} />
  const entries = entriesIn(isJsonObject(data) ? data : {}, parts)
  return (
    <div {...groupProps(wiring)} className="flex flex-col gap-1.5 rounded-md">
      {entries.length === 0 && (
        <p className="flex min-h-8 items-center text-faint italic">
          {data === undefined ? notSet : t('forms.map.empty')}
        </p>
      )}
      <MapRows
        {...props}
        entries={entries}
        values={entriesOf(schema) ?? ANY}
        reserved={[]}
        canAdd
        onChange={(next) => {
          const whole = mapOf(next)
          onEdit(editWith(definition, whole.value, whole.parts))
        }}
        problems={problems ?? problemPointers(schema, data)}
      />
      {problems === undefined && !readOnly && (
        <TextButton of={nameOf(wiring)} onClick={toJson} className="self-start">
          {t('forms.json.edit')}
        </TextButton>
      )}
    </div>
  )
}

/**
 * The entries of an object under keys that its schema does not name: each key with its value. Rows keep their places
 * while their keys are typed, although JavaScript puts numeric keys first.
 */
export function MapRows({
  entries,
  values,
  reserved,
  canAdd,
  onChange,
  problems,
  wiring,
  readOnly,
  scope,
  Inner,
}: Pick<ControlProps, 'readOnly' | 'scope' | 'Inner'> & {
  entries: readonly Entry[]
  /** The schema of the values. */
  values: JsonObject
  /** Names that no key may be: those of the members. */
  reserved: readonly string[]
  canAdd: boolean
  onChange: (entries: readonly Entry[]) => void
  /** Pointers into the object. */
  problems: readonly string[]
  wiring: ControlProps['wiring']
}) {
  const t = useText()
  const list = useRef<HTMLDivElement>(null)
  const [order, setOrder] = useState<readonly Row[]>([])
  const wanted = useRef<number | null>(null)
  useLayoutEffect(() => {
    const row = wanted.current
    wanted.current = null
    if (row === null) return
    const key = list.current?.querySelector<HTMLElement>(`:scope > [data-row="${row}"] [data-key]`)
    ;(key ?? list.current?.querySelector<HTMLElement>(':scope > div > [data-add]'))?.focus()
  })

  const rows = arrange(order, entries)
  const change = (next: readonly (Row & { entry: Entry })[]) => {
    const settled = settle(
      next.map(({ entry }) => entry),
      reserved,
    )
    setOrder(next.map(({ id }, index) => ({ id, name: settled[index]?.name ?? '' })))
    onChange(settled)
  }

  return (
    <div ref={list} className="@container flex flex-col gap-1.5">
      {rows.map(({ id, entry }, index) => (
        <MapRow
          key={id}
          {...{ id, index, entry, values, problems, wiring, readOnly, scope, Inner }}
          onChange={(next) => change(rows.map((row, at) => (at === index ? { ...row, entry: next } : row)))}
          onRemove={() => {
            wanted.current = Math.min(index, rows.length - 2)
            change(rows.toSpliced(index, 1))
          }}
        />
      ))}
      {canAdd && !readOnly && (
        <div>
          <Button
            size="sm"
            icon="plus"
            of={nameOf(wiring)}
            data-add
            onClick={() => {
              wanted.current = rows.length
              const entry = newEntry(entries, reserved, firstValue(values))
              change([...rows, { id: freeId(rows, entry.name), name: entry.name, entry }])
            }}
          >
            {t('forms.map.add')}
          </Button>
        </div>
      )}
    </div>
  )
}

/** One entry: its key, its value, and a button that removes it. */
function MapRow({
  id,
  index,
  entry,
  values,
  problems,
  wiring,
  readOnly,
  scope,
  Inner,
  onChange,
  onRemove,
}: Pick<ControlProps, 'wiring' | 'readOnly' | 'scope' | 'Inner'> & {
  id: string
  index: number
  entry: Entry
  /** The schema of the value. */
  values: JsonObject
  /** Pointers into the object. */
  problems: readonly string[]
  onChange: (entry: Entry) => void
  onRemove: () => void
}) {
  const t = useText()
  const { name, key: typed } = entry
  const key = typed ?? name
  const place = `${wiring.id}.~${id}`
  const inside = pointersInside(problems, name)
  return (
    <div
      data-row={index}
      role="group"
      aria-label={key === '' ? t('forms.map.newKey') : key}
      className="grid min-w-0 grid-cols-[minmax(0,1fr)_auto] items-start gap-x-2 gap-y-1 @sm:grid-cols-[minmax(7rem,2fr)_minmax(0,3fr)_auto]"
    >
      <KeyInput id={place} entry={entry} readOnly={readOnly} onChange={onChange} />
      <div className="col-span-2 col-start-1 row-start-2 min-w-0 @sm:col-span-1 @sm:col-start-2 @sm:row-start-1">
        <Inner
          definition={{ kind: 'DATA', schema: values, required: true }}
          {...shownHeld(entry)}
          isSet
          problems={inside}
          onEdit={(edit) => {
            const { value = '', parts } = heldAfterEdit(entry, edit)
            onChange({ ...entry, value, parts })
          }}
          onReset={() => undefined}
          wiring={{
            id: place,
            'aria-label': t('forms.map.value', { key }),
            'aria-describedby': inside.length > 0 ? `${wiring.id}-error` : undefined,
            'aria-invalid': inside.length > 0 || entry.parts[''] !== undefined ? true : undefined,
            'aria-required': undefined,
          }}
          readOnly={readOnly}
          scope={scope}
        />
      </div>
      {!readOnly && (
        <Button
          variant="quiet"
          size="sm"
          icon="close"
          className="mt-0.5"
          of={nameOf(wiring)}
          label={t('forms.map.remove', { key })}
          onClick={onRemove}
        />
      )}
      {typed !== undefined && (
        <div className="col-span-full row-start-3 @sm:row-start-2">
          <FieldErrorText id={`${place}-error`}>{partError({ key: typed }, t)}</FieldErrorText>
        </div>
      )}
    </div>
  )
}

/** What is typed as the key stays until the entry can have it. Enter leads to the value, whose id is given. */
function KeyInput({
  id,
  entry,
  readOnly,
  onChange,
}: {
  id: string
  entry: Entry
  readOnly: boolean
  onChange: (entry: Entry) => void
}) {
  const t = useText()
  const { name, key } = entry
  return (
    <TextInput
      code
      data-key
      id={`${id}-key`}
      aria-label={t('forms.map.key')}
      aria-invalid={key === undefined ? undefined : true}
      aria-describedby={key === undefined ? undefined : `${id}-error`}
      value={key ?? name}
      readOnly={readOnly}
      onChange={({ target }) => {
        const { key: _, ...rest } = entry
        onChange(target.value === name ? rest : { ...rest, key: target.value })
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
        event.preventDefault()
        document.getElementById(id)?.focus()
      }}
    />
  )
}

/** A row of an entry; it keeps its id when the entry gets another name. */
interface Row {
  id: string
  name: string
}

/** The entries in the rows where they were; those that are new here come last. */
function arrange(order: readonly Row[], entries: readonly Entry[]): (Row & { entry: Entry })[] {
  const left = new Map(entries.map((entry) => [entry.name, entry]))
  const rows: (Row & { entry: Entry })[] = []
  for (const row of order) {
    const entry = left.get(row.name)
    if (entry !== undefined) rows.push({ ...row, entry })
    left.delete(row.name)
  }
  for (const [name, entry] of left) rows.push({ id: freeId(rows, name), name, entry })
  return rows
}

function freeId(rows: readonly Row[], name: string): string {
  let id = name
  while (rows.some((row) => row.id === id)) id = `${id}'`
  return id
}

import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { useLayoutEffect, useRef, type ReactNode } from 'react'
import { useText } from '../../../i18n/use-text.ts'
import { schemaOf } from '../control-kind.ts'
import { dataValue, editWith } from '../property-edit.ts'
import { heldAfterEdit, held, itemsIn, listOf, shownHeld } from '../held-value.ts'
import { firstValue, fitsControl, pointersInside, problemPointers, variantOf } from '../inner-value.ts'
import { ANY, itemsOf, variantsOf } from '../schema-parts.ts'
import { AsJson } from './AsJson.tsx'
import { type ControlProps, groupProps, nameOf } from './control-props.ts'
import { useEmptyText } from './empty-text.ts'
import { useJsonMode } from './use-json-mode.ts'
import { Button } from '../../../ui/Button.tsx'
import type { ControlWiring } from '../../../ui/Field.tsx'

/** An ordered list of values. */
export function ListControl(props: ControlProps) {
  const { definition, value, unfinished, parts, onEdit, wiring, readOnly, scope, Inner, problems } = props
  const t = useText()
  const schema = schemaOf(definition)
  const items = itemsOf(schema) ?? ANY
  const data = dataValue(value)
  const { isJson, toForm } = useJsonMode(unfinished === null && fitsControl(schema, data), data)
  if (isJson) return <AsJson {...props} onForm={toForm} />
  const found = problems ?? problemPointers(schema, data)
  const list = Array.isArray(data) ? data : []
  return (
    <ListEditor
      items={itemsIn(list, parts)}
      isSet={data !== undefined}
      empty={held(newItem(items, list.at(-1)))}
      readOnly={readOnly}
      wiring={wiring}
      onChange={(next) => {
        const whole = listOf(next)
        onEdit(editWith(definition, whole.value, whole.parts))
      }}
      renderItem={(item, change, index) => {
        const inside = pointersInside(found, index)
        return (
          <div className="min-w-0 flex-1">
            <Inner
              definition={{ kind: 'DATA', schema: items, required: true }}
              {...shownHeld(item)}
              isSet
              problems={inside}
              onEdit={(edit) => change(heldAfterEdit(item, edit))}
              onReset={() => undefined}
              wiring={{
                id: `${wiring.id}.${index}`,
                'aria-label': t('forms.list.item', { n: index + 1 }),
                'aria-describedby': inside.length > 0 ? `${wiring.id}-error` : undefined,
                'aria-invalid': inside.length > 0 || item.parts[''] !== undefined ? true : undefined,
                'aria-required': undefined,
              }}
              readOnly={readOnly}
              scope={scope}
            />
          </div>
        )
      }}
    />
  )
}

/** Where a list takes values of several forms, the next item most likely has that of the last one. */
function newItem(items: JsonObject, last: JsonValue | undefined): JsonValue {
  const variants = variantsOf(items) ?? []
  return firstValue(variants[variantOf(variants, last)] ?? items)
}

/** An ordered list: items can be added, removed and moved, all by keyboard. */
export function ListEditor<Item>({
  items,
  isSet = true,
  empty,
  readOnly,
  wiring,
  onChange,
  renderItem,
}: {
  items: readonly Item[]
  /** Whether there is a list, which may be empty. */
  isSet?: boolean
  /** The initial value of a new item. */
  empty: Item
  readOnly: boolean
  wiring: ControlWiring
  onChange: (items: Item[]) => void
  renderItem: (item: Item, change: (item: Item) => void, index: number) => ReactNode
}) {
  const t = useText()
  const notSet = useEmptyText()
  const list = useRef<HTMLDivElement>(null)
  const wanted = useRef<{ row: number; button?: 'up' | 'down' } | null>(null)
  useLayoutEffect(() => {
    const target = wanted.current
    wanted.current = null
    if (target !== null && list.current !== null) focusRow(list.current, target)
  })
  const replace = (index: number, item: Item) => onChange(items.with(index, item))
  const swap = (index: number, other: number) => {
    wanted.current = { row: other, button: other < index ? 'up' : 'down' }
    const [one, two] = [items[index], items[other]]
    if (one !== undefined && two !== undefined) onChange(items.with(index, two).with(other, one))
  }
  return (
    <div {...groupProps(wiring)} ref={list} className="flex flex-col gap-1.5 rounded-md">
      {items.length === 0 && (
        <p className="flex min-h-8 items-center text-faint italic">
          {isSet ? t('forms.list.empty') : notSet}
        </p>
      )}
      {items.map((item, index) => (
        // items have no identity; the person sees them by position
        <div
          // oxlint-disable-next-line react/no-array-index-key
          key={index}
          data-row={index}
          role="group"
          aria-label={t('forms.list.position', { n: index + 1, total: items.length })}
          tabIndex={-1}
          className="flex items-start gap-1 rounded-md"
        >
          <div className="flex min-w-0 flex-1">{renderItem(item, (next) => replace(index, next), index)}</div>
          {!readOnly && (
            <ItemButtons
              index={index}
              length={items.length}
              of={nameOf(wiring)}
              onMove={(to) => swap(index, to)}
              onRemove={() => {
                wanted.current = { row: Math.min(index, items.length - 2) }
                onChange(items.toSpliced(index, 1))
              }}
            />
          )}
        </div>
      ))}
      {!readOnly && (
        <div>
          <Button
            size="sm"
            icon="plus"
            of={nameOf(wiring)}
            data-add
            onClick={() => {
              wanted.current = { row: items.length }
              onChange([...items, empty])
            }}
          >
            {t('forms.list.add')}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Moves an item up or down, or removes it. */
function ItemButtons({
  index,
  length,
  of,
  onMove,
  onRemove,
}: {
  index: number
  length: number
  of: ReturnType<typeof nameOf>
  onMove: (to: number) => void
  onRemove: () => void
}) {
  const t = useText()
  const button = { variant: 'quiet', size: 'sm', of } as const
  return (
    <>
      <Button
        {...button}
        icon="sortUp"
        label={t('forms.list.up', { n: index + 1 })}
        data-move="up"
        className={index === 0 ? 'invisible' : ''}
        onClick={() => onMove(index - 1)}
      />
      <Button
        {...button}
        icon="sortDown"
        label={t('forms.list.down', { n: index + 1 })}
        data-move="down"
        className={index === length - 1 ? 'invisible' : ''}
        onClick={() => onMove(index + 1)}
      />
      <Button {...button} icon="close" label={t('forms.list.remove', { n: index + 1 })} onClick={onRemove} />
    </>
  )
}

/**
 * Moves the focus with the item, so that the keyboard continues where the person acted. An item that cannot move further
 * has the focus itself: the next Enter would undo the move on the other button, and submit the form in an input.
 */
function focusRow(list: HTMLElement, { row, button }: { row: number; button?: 'up' | 'down' }): void {
  const line = list.querySelector<HTMLElement>(`:scope > [data-row="${row}"]`)
  const mover = line?.querySelector<HTMLElement>(`:scope > [data-move="${button}"]:not(.invisible)`)
  const control = line?.querySelector<HTMLElement>('input, select, textarea, button')
  const target = button === undefined ? control : (mover ?? line)
  ;(target ?? list.querySelector<HTMLElement>(':scope > div > [data-add]'))?.focus()
}

import type { ReactNode } from 'react'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import type { ControlWiring } from './control-props.ts'
import { groupProps } from './control-props.ts'

/** An ordered list: items can be added, removed and moved, all by keyboard. */
export function ListEditor<Item>({
  items,
  empty,
  readOnly,
  wiring,
  onChange,
  renderItem,
}: {
  items: readonly Item[]
  /** The initial value of a new item. */
  empty: Item
  readOnly: boolean
  wiring: ControlWiring
  onChange: (items: Item[]) => void
  renderItem: (item: Item, change: (item: Item) => void, index: number) => ReactNode
}) {
  const t = useText()
  const replace = (index: number, item: Item) => onChange(items.with(index, item))
  const swap = (index: number, other: number) => {
    const [one, two] = [items[index], items[other]]
    if (one !== undefined && two !== undefined) onChange(items.with(index, two).with(other, one))
  }
  return (
    <div {...groupProps(wiring)} className="flex flex-col gap-1.5 rounded-md">
      {items.length === 0 && (
        <p className="flex min-h-8 items-center text-faint italic">{t('forms.list.empty')}</p>
      )}
      {items.map((item, index) => (
        // items have no identity; the person sees them by position
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className="flex items-center gap-1">
          <div className="flex min-w-0 flex-1">{renderItem(item, (next) => replace(index, next), index)}</div>
          {!readOnly && (
            <>
              <Button
                variant="quiet"
                size="sm"
                icon="sortUp"
                label={t('forms.list.up', { n: index + 1 })}
                className={index === 0 ? 'invisible' : ''}
                onClick={() => swap(index, index - 1)}
              />
              <Button
                variant="quiet"
                size="sm"
                icon="sortDown"
                label={t('forms.list.down', { n: index + 1 })}
                className={index === items.length - 1 ? 'invisible' : ''}
                onClick={() => swap(index, index + 1)}
              />
              <Button
                variant="quiet"
                size="sm"
                icon="close"
                label={t('forms.list.remove', { n: index + 1 })}
                onClick={() => onChange(items.toSpliced(index, 1))}
              />
            </>
          )}
        </div>
      ))}
      {!readOnly && (
        <div>
          <Button size="sm" icon="plus" onClick={() => onChange([...items, empty])}>
            {t('forms.list.add')}
          </Button>
        </div>
      )}
    </div>
  )
}

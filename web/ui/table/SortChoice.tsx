import { useText } from '../../i18n/use-text.ts'
import { Select } from '../Select.tsx'
import { sortsOf, type Column } from './column.ts'

/** The sort orders of the columns. Cards have no header to press, so a narrow table shows this instead. */
export function SortChoice<Row>({
  columns,
  sort,
  onSort,
}: {
  columns: readonly Column<Row>[]
  sort: string | undefined
  onSort: (sort: string) => void
}) {
  const t = useText()
  const options = columns.flatMap(sortsOf).flatMap(({ key, name, first }) => {
    const both = [
      { value: key, label: t('common.sort.ascending', { column: name }) },
      { value: `-${key}`, label: t('common.sort.descending', { column: name }) },
    ]
    return first === 'descending' ? both.toReversed() : both
  })
  if (options.length === 0) return null
  return (
    <div className="hidden border-b border-line px-4 py-2 @max-[40rem]/table:block print:hidden!">
      <Select
        aria-label={t('common.sort')}
        value={sort}
        options={options}
        onChange={(event) => onSort(event.target.value)}
      />
    </div>
  )
}

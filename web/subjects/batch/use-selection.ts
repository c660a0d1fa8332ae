import { useCallback, useMemo, useState } from 'react'

export interface Selection<Row> {
  rows: readonly Row[]
  keys: ReadonlySet<string>
  /** Stable, so that rows are not rendered again. */
  toggle: (row: Row, isSelected: boolean) => void
  /** Selects or deselects all of these rows. */
  toggleAll: (rows: readonly Row[], isSelected: boolean) => void
  replace: (rows: readonly Row[]) => void
  clear: () => void
}

/** Rows that a person has selected. They stay selected on other pages of the list. */
export function useSelection<Row>(keyOf: (row: Row) => string): Selection<Row> {
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map())
  const toggleAll = useCallback(
    (rows: readonly Row[], isSelected: boolean) =>
      setSelected((before) => {
        const after = new Map(before)
        for (const row of rows) {
          if (isSelected) after.set(keyOf(row), row)
          else after.delete(keyOf(row))
        }
        return after
      }),
    [keyOf],
  )
  const toggle = useCallback((row: Row, isSelected: boolean) => toggleAll([row], isSelected), [toggleAll])
  return {
    rows: useMemo(() => [...selected.values()], [selected]),
    keys: useMemo(() => new Set(selected.keys()), [selected]),
    toggle,
    toggleAll,
    replace: (rows) => setSelected(new Map(rows.map((row) => [keyOf(row), row]))),
    clear: () => setSelected(new Map()),
  }
}

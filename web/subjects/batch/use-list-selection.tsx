import { useMutation } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, type ReactNode, useCallback, useState } from 'react'
import { useText } from '../../i18n/use-text.ts'
import type { RowSelection } from '../../ui/table/column.ts'
import { showToast } from '../../ui/toast.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { BATCH_TARGETS_MAX } from './batch-limits.ts'
import { loadAll, type RowPage } from './load-all.ts'
import { Button } from '../../ui/Button.tsx'

/** The selection of a list: the checkboxes of its table, and the bar with what can be done. */
export function useListSelection<Row>({
  keyOf,
  nameOf,
  loadPage,
}: {
  /** Stable: defined outside the component. */
  keyOf: (row: Row) => string
  /** What a row is, for the name of its checkbox. Stable. */
  nameOf: (row: Row) => string
  /** A page of everything that matches the filters. */
  loadPage: (page: { limit: number; cursor?: string }) => Promise<RowPage<Row>>
}): { rows: readonly Row[]; table: RowSelection<Row>; bar: (actions: ReactNode) => ReactNode } {
  const t = useText()
  const { rows, keys, toggle, toggleAll, replace, clear } = useSelection(keyOf)
  const check = useMemo(
    () => ({
      labelOf: (row: Row) => t('selection.row', { name: nameOf(row) }),
      onToggle: toggle,
    }),
    [t, nameOf, toggle],
  )
  // a search for rare words can take many pages
  const visit = useRef<AbortController>(null)
  useEffect(() => {
    const controller = new AbortController()
    visit.current = controller
    return () => controller.abort()
  }, [])
  const selectAll = useMutation({
    mutationFn: () => loadAll(loadPage, visit.current?.signal),
    onSuccess: (found) => {
      replace(found.rows)
      if (found.hasMore) showToast({ tone: 'info', text: t('selection.tooMany', { max: BATCH_TARGETS_MAX }) })
    },
    onError: (error) => {
      if (visit.current?.signal.aborted !== true) showToast({ tone: 'error', text: errorView(error).message })
    },
  })
  return {
    rows,
    table: { keys, check, onToggleAll: toggleAll, labelOfAll: t('selection.page') },
    bar: (actions) =>
      rows.length > 0 && (
        <SelectionBar
          count={rows.length}
          onClear={clear}
          all={{ isBusy: selectAll.isPending, onSelect: () => selectAll.mutate() }}
        >
          {actions}
        </SelectionBar>
      ),
  }
}

interface Selection<Row> {
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
function useSelection<Row>(keyOf: (row: Row) => string): Selection<Row> {
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

/** What is selected in a list and what can be done with it; docked to the window's lower edge. */
function SelectionBar({
  count,
  onClear,
  all,
  children,
}: {
  count: number
  onClear: () => void
  /** Selects everything that matches the filters. */
  all: { isBusy: boolean; onSelect: () => void }
  children: ReactNode
}) {
  const t = useText()
  return (
    <section
      aria-label={t('selection.bar')}
      className="sticky bottom-4 z-20 mt-3 flex flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-surface px-4 py-2 shadow-lg max-sm:gap-1.5 max-sm:px-2"
    >
      <span role="status" className="mr-2 font-medium">
        {t('selection.count', { n: count })}
      </span>
      <Button size="sm" busy={all.isBusy} onClick={all.onSelect}>
        {t('selection.all')}
      </Button>
      <Button size="sm" onClick={onClear}>
        {t('selection.clear')}
      </Button>
      <span
        data-selection-actions=""
        // one line on a phone, as in the head of a page
        className="flex flex-1 justify-end-safe gap-2 max-sm:fade-end max-sm:-m-1 max-sm:basis-full max-sm:gap-1 max-sm:overflow-x-auto max-sm:p-1 max-sm:*:shrink-0 sm:flex-wrap max-sm:[&_button]:px-1.5"
      >
        {children}
      </span>
    </section>
  )
}

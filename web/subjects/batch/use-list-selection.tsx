import { useMutation } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, type ReactNode } from 'react'
import { useText } from '../../i18n/use-text.ts'
import type { RowSelection } from '../../ui/table/column.ts'
import { showToast } from '../../ui/toast.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { BATCH_TARGETS_MAX } from './limits.ts'
import { loadAll, type Page } from './load-all.ts'
import { SelectionBar } from './SelectionBar.tsx'
import { useSelection } from './use-selection.ts'

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
  loadPage: (page: { limit: number; cursor?: string }) => Promise<Page<Row>>
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

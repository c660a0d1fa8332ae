import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import { propertiesCall, type PropertiesSearch } from '#contract/console-api/pages/properties.ts'
import { omitUndefined, type SearchChange } from '#contract/console-api/pages/search-params.ts'
import type { PropertyRow } from '#contract/console-api/shapes.ts'
import { callApi } from '../../api/client.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { paths } from '../../addresses/paths.ts'
import type { Edit } from '../../forms/property/property-edit.ts'
import { isHidden, changesNothing, editTo } from '../../forms/property/property-value.ts'
import { kindIcon, propertyHelp, propertyTitle } from '../../forms/property/property-labels.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { Page } from '../../layouts/Page.tsx'
import { LazyBatchDialog } from '../../subjects/batch/dialog/lazy-batch-dialog.ts'
import { EACH_MAX, type BatchProperty } from '../../subjects/batch/each-target.ts'
import { useListSelection } from '../../subjects/batch/use-list-selection.tsx'
import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { Button } from '../../ui/Button.tsx'
import { columnOf } from './copied-column.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { QueryTable } from '../../ui/table/QueryTable.tsx'
import { showToast } from '../../ui/toast.ts'
import { PropertyFilters } from './PropertyFilters.tsx'
import { PropertySearch } from './PropertySearch.tsx'
import { propertyColumns } from './property-columns.tsx'
import { ValueShares } from './ValueShares.tsx'

const route = getRouteApi('/properties')

/** A property that the address names, in every installation; or the search for one. */
export function PropertiesPage() {
  const search = route.useSearch()
  const call = propertiesCall(search)
  return call === null ? <PropertySearch /> : <OneProperty search={search} call={call} />
}

type Call = NonNullable<ReturnType<typeof propertiesCall>>

function OneProperty({ search, call }: { search: PropertiesSearch; call: Call }) {
  const t = useText()
  const navigate = route.useNavigate()
  const query = useQuery({ ...apiQuery('GET /properties', call), placeholderData: keepPreviousData })
  const rows = query.data?.items
  const first = rows?.[0]
  const columns = useMemo(() => propertyColumns(t), [t])
  const mayWrite = useMay('configuration:write', 'anywhere')
  const { bundleId, kind, resource, property, cursor, q: _, ...filters } = search
  const named = omitUndefined({ bundleId, kind, resource, property })
  const selection = useListSelection({
    keyOf,
    nameOf,
    loadPage: (page) => callApi('GET /properties', { query: { ...call.query, ...page } }),
  })
  // as they are now: others may have changed them since they were selected
  const onPage = new Map(rows?.map((row) => [keyOf(row), row]))
  const selected = selection.rows.map((row) => onPage.get(keyOf(row)) ?? row)
  const [dialog, setDialog] = useState<BatchProperty | null>(null)
  const isFiltered = Object.keys(filters).length > 0
  const change = (next: SearchChange<PropertiesSearch>) =>
    void navigate({ search: omitUndefined({ ...named, ...filters, ...next }), replace: true })
  const clear = () => void navigate({ search: named })
  const title = propertyTitle(first?.definition, call.query.property)
  // what a plugin writes is refused to people
  const isWrittenByPlugin = rows?.some(({ writtenBy }) => writtenBy !== null) ?? false
  const openDialog = (edits?: ReadonlyMap<string, Edit>) => {
    const [row] = selected
    if (row === undefined) return
    setDialog({
      locator: row.locator,
      property: row.property,
      values: new Map(selected.map((one) => [keyOf(one), one.value])),
      ...(edits && { edits }),
    })
  }
  const restore = useMutation({
    mutationFn: readEarlierValues,
    onSuccess: (edits) =>
      edits.size === 0 ? showToast({ tone: 'info', text: t('properties.restore.none') }) : openDialog(edits),
    onError: (error) => showToast({ tone: 'error', text: errorView(error).message }),
  })
  return (
    <Page
      title={title}
      trail={[{ label: t('properties.title'), to: paths.properties() }]}
      meta={<PropertyHead of={call.query} row={first} />}
      actions={
        rows !== undefined &&
        rows.length > 0 && (
          <CopyButton size="md" text={() => columnOf(selected.length > 0 ? selected : rows)}>
            {t(selected.length > 0 ? 'properties.copy.selected' : 'properties.copy.page')}
          </CopyButton>
        )
      }
    >
      {rows && <ValueShares rows={rows} search={search} onFilter={change} />}
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <PropertyFilters search={search} onChange={change} onClear={isFiltered && clear} />
      </div>
      <QueryTable
        label={t('properties.list')}
        query={query}
        columns={columns}
        rowKey={keyOf}
        rowLink={rowLink}
        cursor={cursor}
        pageLink={(at) => paths.properties(omitUndefined({ ...search, cursor: at }))}
        onClear={isFiltered && clear}
        selection={mayWrite && !isWrittenByPlugin ? selection.table : undefined}
        // a filter reads a bounded number of installations
        partial={rows?.length === 0 && query.data?.nextCursor != null ? t('properties.partial') : undefined}
        empty={
          <EmptyState
            icon="edit"
            title={t('properties.empty.title')}
            message={t('properties.empty.message')}
          />
        }
      />
      {selection.bar(
        <SelectionActions
          selected={selected}
          isRestoring={restore.isPending}
          onRestore={() => restore.mutate(selected)}
          onSet={openDialog}
        />,
      )}
      {dialog !== null && (
        <Suspense>
          <LazyBatchDialog
            action="CONFIGURE"
            property={dialog}
            targets={selected.map(({ installation, title: name, version }) => ({
              id: installation.bundleInstallId,
              installation,
              title: name,
              version,
            }))}
            onClose={() => setDialog(null)}
          />
        </Suspense>
      )}
    </Page>
  )
}

/** Below the title: which property of which resource it is, and what it is for. */
function PropertyHead({
  of: { bundleId, kind, resource, property },
  row,
}: {
  of: Call['query']
  row: PropertyRow | undefined
}) {
  const help = row && propertyHelp(row.definition)
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
        <Icon name={kindIcon[kind]} className="text-muted" />
        <span>{row?.resourceTitle ?? resource}</span>
        <span className="mono text-faint">
          {bundleId}/{resource}
        </span>
        <span className="mono text-faint">{property}</span>
      </p>
      {help && <p className="max-w-[72ch]">{help}</p>}
    </>
  )
}

/** What can be done with the property in the selected installations. */
function SelectionActions({
  selected,
  isRestoring,
  onRestore,
  onSet,
}: {
  selected: readonly PropertyRow[]
  isRestoring: boolean
  onRestore: () => void
  /** Opens the dialog that sets the values, with these edits to begin with. */
  onSet: (edits?: ReadonlyMap<string, Edit>) => void
}) {
  const t = useText()
  // many requests: one for each history
  const isRestorable = selected.length <= RESTORED_MAX && !selected.some(({ value }) => isHidden(value))
  return (
    <>
      <Button
        icon="undo"
        busy={isRestoring}
        disabledReason={!isRestorable && t('properties.restore.reason', { max: RESTORED_MAX })}
        onClick={onRestore}
      >
        {t('properties.action.restore')}
      </Button>
      <Button
        icon="minus"
        disabledReason={selected.length > EACH_MAX && t('properties.default.reason', { max: EACH_MAX })}
        onClick={() => onSet(new Map(selected.map((row) => [keyOf(row), toDefault(row)])))}
      >
        {t('properties.action.default')}
      </Button>
      <Button icon="edit" onClick={() => onSet()}>
        {t('properties.action.set')}
      </Button>
    </>
  )
}

const keyOf = ({ installation }: PropertyRow) => installation.bundleInstallId
const nameOf = ({ installation }: PropertyRow) => scopeText(installation)
const rowLink = ({ installation, locator, property }: PropertyRow) =>
  paths.configuration(installation, { resource: locator, property })

const toDefault = ({ definition: { default: value } }: PropertyRow): Edit =>
  value === undefined ? { kind: 'removed' } : { kind: 'set', value: { '@type': 'Data', value } }

const HISTORY =
  'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration/history' as const

/** Each reads a history of its own. */
const RESTORED_MAX = 50

/**
 * What each value was before its last change, by installation. An installation is left out if its value was never changed
 * since it was installed, or if the earlier value is hidden.
 */
async function readEarlierValues(rows: readonly PropertyRow[]): Promise<ReadonlyMap<string, Edit>> {
  const read = await Promise.all(
    rows.map(async ({ installation, locator, property, value }) => {
      const { bundleInstallId, environmentKey, applicationRuntimeId, workspaceId } = installation
      const { items } = await callApi(HISTORY, {
        params: { environmentKey, applicationRuntimeId, workspaceId },
        query: { locator, property, limit: 1 },
      })
      const [newest] = items
      const [change] = newest?.changes ?? []
      if (newest === undefined || newest.cause === 'INSTALL' || change === undefined) return null
      if (isHidden(change.before)) return null
      const edit = editTo(change.before)
      return changesNothing(edit, value) ? null : ([bundleInstallId, edit] as const)
    }),
  )
  return new Map(read.filter((edit) => edit !== null))
}

import { useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { ConfigurationSearch } from '#contract/console-api/pages/configuration.ts'
import { useText } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/class-names.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { SearchInput } from '../../ui/filters/SearchInput.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { focusHome } from '../../ui/keep-focus.ts'
import { PlainLink } from '../../ui/Link.tsx'
import { SegmentedControl } from '../../ui/SegmentedControl.tsx'
import type { DocumentState } from './document/use-document.ts'
import { useEditor, type InstallationTitles, focusProperty } from './editor/editor-context.ts'
import type { OutlineState } from './editor/use-outline.ts'
import { GoneForm } from './form/GoneForm.tsx'
import { ResourceForm } from './form/ResourceForm.tsx'
import { Outline } from './Outline.tsx'
import { DocumentPane } from './DocumentTab.tsx'
import { countSet, firstMatch, isNarrowed, type Filter, type Marks } from './draft/outline.ts'

interface OutlineColumnProps {
  search: ConfigurationSearch
  outline: OutlineState
  marks: ReadonlyMap<string, Marks>
  titles: InstallationTitles
  edits: number
  invalid: number
}

/**
 * The resources at the left, the form of the selected one at the right, and beside it the document if it is open. On a
 * phone, one at a time.
 */
export function FormTab({
  search,
  outline,
  marks,
  titles,
  edits,
  invalid,
  document: shownDocument,
  onCloseDocument,
}: OutlineColumnProps & {
  /** The document beside the form; null while it is closed. */
  document: DocumentState | null
  onCloseDocument: () => void
}) {
  const t = useText()
  const navigate = useNavigate()
  const { configuration, gone } = useEditor()
  const { scope } = configuration
  const { filter, selected, isChosen } = outline
  const resource = selected === undefined ? undefined : configuration.resources[selected]
  const goneResource = selected === undefined ? undefined : gone.get(selected)
  const list = omitUndefined({ ...search, resource: undefined, property: undefined })
  const clear = useCallback(() => {
    const all = { q: undefined, show: undefined, property: undefined }
    void navigate({ ...paths.configuration(scope, omitUndefined({ ...search, ...all })), replace: true })
  }, [navigate, scope, search])

  return (
    <div
      {...focusHome('resource-title', 'content')}
      className={cx(
        'grid',
        shownDocument === null
          ? 'gap-x-10 lg:grid-cols-[17rem_minmax(0,1fr)]'
          : 'grid-cols-[13rem_minmax(0,1fr)_minmax(0,1fr)] gap-x-6 2xl:grid-cols-[15rem_minmax(0,1fr)_minmax(0,1fr)]',
      )}
    >
      <OutlineColumn
        search={search}
        outline={outline}
        marks={marks}
        titles={titles}
        edits={edits}
        invalid={invalid}
      />
      <div className={cx('min-w-0', !isChosen && 'max-lg:hidden')}>
        <PlainLink
          to={paths.configuration(scope, list)}
          className="mb-3 inline-flex min-h-8 items-center gap-1 rounded-md font-medium text-muted hover:text-ink lg:hidden"
        >
          <Icon name="chevronLeft" size={14} />
          {t('configuration.outline.back')}
        </PlainLink>
        {selected !== undefined && resource !== undefined ? (
          <ResourceForm
            key={selected}
            locator={selected}
            resource={resource}
            filter={filter}
            marks={filter.show === undefined ? undefined : marks.get(selected)}
            focusOn={search.property}
            onClearFilter={clear}
          />
        ) : selected !== undefined && goneResource !== undefined ? (
          <GoneForm key={selected} locator={selected} resource={goneResource} />
        ) : (
          <EmptyState
            icon="search"
            title={t('configuration.outline.nothing')}
            action={isNarrowed(filter) && <Button onClick={clear}>{t('common.clearFilters')}</Button>}
          />
        )}
      </div>
      {shownDocument !== null && (
        <DocumentPane document={shownDocument} locator={selected} onClose={onCloseDocument} />
      )}
    </div>
  )
}

/** The resources, and what narrows them. */
function OutlineColumn({ search, outline, marks, titles, edits, invalid }: OutlineColumnProps) {
  const t = useText()
  const navigate = useNavigate()
  const { configuration, mayWrite } = useEditor()
  const { scope } = configuration
  const { filter, all, groups, selected, isChosen } = outline
  const narrow = (next: { q?: string | undefined; show?: Filter['show'] }) => {
    const target = paths.configuration(scope, omitUndefined({ ...search, ...next, property: undefined }))
    void navigate({ ...target, replace: true })
  }
  const goToFirst = (q: string) => {
    const found = firstMatch(all, { ...filter, q }, marks, selected)
    if (found === undefined) return
    const target = omitUndefined({ ...search, q: q === '' ? undefined : q, ...found })
    void navigate({ ...paths.configuration(scope, target), replace: true }).then(() =>
      focusProperty(found.property),
    )
  }
  const set = useMemo(() => countSet(all), [all])
  return (
    <div className={cx('min-w-0', isChosen && 'max-lg:hidden')}>
      <div className="lg:sticky lg:top-4 lg:flex lg:max-h-[calc(100dvh-2rem)] lg:flex-col">
        <div className="space-y-2 pb-3">
          <SearchInput
            value={filter.q}
            label={t('configuration.outline.search')}
            className=""
            onSearch={(q) => narrow({ q: q === '' ? undefined : q })}
            onEnter={goToFirst}
          />
          <SegmentedControl
            label={t('configuration.outline.show')}
            value={filter.show ?? 'all'}
            options={[
              { value: 'all', label: t('common.all') },
              ...(mayWrite
                ? [
                    { value: 'changed', label: t('configuration.outline.changed', { n: edits }) } as const,
                    {
                      value: 'invalid',
                      label: t('configuration.outline.onlyInvalid', { n: invalid }),
                    } as const,
                  ]
                : []),
              { value: 'set', label: t('configuration.outline.setHere', { n: set }) },
            ]}
            onChange={(show) => narrow({ show: show === 'all' ? undefined : show })}
          />
        </div>
        <div className="relative -mx-2 min-h-0 overflow-y-auto px-2 pt-0.5 pb-24">
          <button
            type="button"
            onClick={() => document.getElementById('resource-title')?.focus()}
            className="absolute top-0 right-2 z-10 h-8 -translate-y-96 rounded-md bg-ink px-3 font-medium text-inverse focus:translate-y-0 max-lg:hidden"
          >
            {t('configuration.outline.skip')}
          </button>
          <Outline
            groups={groups}
            marks={marks}
            selected={selected}
            isChosen={isChosen}
            scope={scope}
            search={search}
            titles={titles}
          />
          {groups.length === 0 && <p className="px-2 text-muted">{t('configuration.outline.nothing')}</p>}
        </div>
      </div>
    </div>
  )
}

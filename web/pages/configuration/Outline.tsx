import { memo, useDeferredValue, useLayoutEffect, useRef } from 'react'
import type { ResourceKind } from '#contract/protocol/locator.ts'
import { omitUndefined } from '#contract/console-api/pages/search-params.ts'
import type { ConfigurationSearch } from '#contract/console-api/pages/configuration.ts'
import { useText } from '../../i18n/use-text.ts'
import type { ScopeKey } from '../../addresses/paths.ts'
import { paths } from '../../addresses/paths.ts'
import { cx } from '../../ui/class-names.ts'
import { Icon } from '../../ui/Icon.tsx'
import { PlainLink } from '../../ui/Link.tsx'
import { OUTLINE_ROW, OutlineCount, OutlineResource } from '../../subjects/outline/OutlineRow.tsx'
import type { InstallationTitles } from './editor/editor-context.ts'
import { resourceName, resourceTitle } from '../../forms/property/property-labels.ts'
import type { Marks, OutlineEntry, OutlineGroup } from './draft/outline.ts'

/** More rows than a screen shows; the first paint needs no others. */
const FIRST_ROWS = 50

/** The resources of the scope by installation, each a link to its form. */
export const Outline = memo(function Outline({
  groups,
  marks,
  selected,
  isChosen,
  scope,
  search,
  titles,
}: {
  groups: readonly OutlineGroup[]
  marks: ReadonlyMap<string, Marks>
  selected: string | undefined
  /** Whether the address names it. Otherwise it is merely the first, and a phone shows only the list. */
  isChosen: boolean
  scope: ScopeKey
  search: ConfigurationSearch
  /** The title of an installation, and its version. */
  titles: InstallationTitles
}) {
  const t = useText()
  // a scope may have thousands of resources: the rest follows after the first paint
  const isWhole = useDeferredValue(true, false)
  const shown = isWhole ? groups : beginningOf(groups, FIRST_ROWS)
  const nav = useRef<HTMLElement>(null)
  const isFiltered = search.q !== undefined || search.show !== undefined
  const wasFiltered = useRef(isFiltered)
  useLayoutEffect(() => {
    // the whole list is back: the resource that was found is somewhere in it
    if (wasFiltered.current && !isFiltered) scrollToCurrent(nav.current)
    wasFiltered.current = isFiltered
  }, [isFiltered])
  return (
    <nav ref={nav} aria-label={t('configuration.outline.label')} className="space-y-4">
      {shown.map((group) => {
        const { title, version } = titles.get(group.bundleInstallId) ?? {
          title: group.bundleId,
          version: null,
        }
        return (
          <section key={group.bundleInstallId} aria-label={title}>
            <h2 className="mb-1 flex items-baseline gap-2 px-2 text-xs font-medium text-muted">
              {group.bundleInstallId === '' ? (
                title
              ) : (
                <PlainLink
                  to={paths.installation(group.bundleInstallId)}
                  className="target min-w-0 truncate rounded-sm hover:text-ink hover:underline"
                >
                  {title}
                </PlainLink>
              )}
              {version !== null && <span className="mono shrink-0 text-faint">{version}</span>}
            </h2>
            <ul>
              {group.resources.map(({ locator, resource, gone }) => (
                <Row
                  key={locator}
                  locator={locator}
                  title={resourceTitle(resource, locator)}
                  kind={resource.kind}
                  gone={gone}
                  isLocked={resource.claim !== null}
                  edited={marks.get(locator)?.edited.length ?? 0}
                  invalid={marks.get(locator)?.invalid.length ?? 0}
                  isCurrent={locator === selected}
                  isChosen={isChosen}
                  scope={scope}
                  search={search}
                />
              ))}
            </ul>
          </section>
        )
      })}
    </nav>
  )
})

/** Scrolls only the list, not the page. */
function scrollToCurrent(nav: HTMLElement | null) {
  const pane = nav?.parentElement
  const current = nav?.querySelector('[aria-current]')
  if (!pane || !current) return
  const above = current.getBoundingClientRect().top - pane.getBoundingClientRect().top
  pane.scrollTop += above - pane.clientHeight / 2
}

/** The groups with this many resources in all. */
function beginningOf(groups: readonly OutlineGroup[], count: number): OutlineGroup[] {
  let left = count
  return groups.flatMap((group) => {
    const resources = group.resources.slice(0, left)
    left -= resources.length
    return resources.length === 0 ? [] : [{ ...group, resources }]
  })
}

const Row = memo(function Row({
  locator,
  title,
  kind,
  gone,
  isLocked,
  edited,
  invalid,
  isCurrent,
  isChosen,
  scope,
  search,
}: {
  locator: string
  title: string
  kind: ResourceKind
  gone: OutlineEntry['gone']
  isLocked: boolean
  edited: number
  invalid: number
  isCurrent: boolean
  isChosen: boolean
  scope: ScopeKey
  search: ConfigurationSearch
}) {
  const t = useText()
  return (
    // a row out of sight costs no layout; the margin keeps its focus ring
    <li className="[contain-intrinsic-block-size:auto_2rem] [content-visibility:auto] [overflow-clip-margin:4px]">
      <PlainLink
        to={paths.configuration(scope, omitUndefined({ ...search, property: undefined, resource: locator }))}
        aria-current={isCurrent ? 'page' : undefined}
        className={cx(
          OUTLINE_ROW,
          isCurrent
            ? isChosen
              ? 'bg-selected font-medium'
              : 'lg:bg-selected lg:font-medium'
            : 'hover:bg-hover',
        )}
      >
        <OutlineResource
          kind={kind}
          name={resourceName(locator)}
          title={
            <>
              {gone === undefined ? title : <del className="text-muted">{title}</del>}
              {gone !== undefined && (
                <span className="text-muted"> {t(`configuration.outline.gone.${gone}`)}</span>
              )}
            </>
          }
        >
          <OutlineCount of="invalid" n={invalid} text={t('configuration.outline.invalid', { n: invalid })} />
          <OutlineCount of="edited" n={edited} text={t('configuration.outline.edited', { n: edited })} />
          {isLocked && (
            <>
              <Icon name="lock" size={12} className="text-muted" />
              <span className="sr-only">{t('configuration.outline.locked')}</span>
            </>
          )}
        </OutlineResource>
      </PlainLink>
    </li>
  )
})

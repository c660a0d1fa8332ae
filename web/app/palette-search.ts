import type { QueryClient } from '@tanstack/react-query'
import type {
  Bundle,
  Configuration,
  Installation,
  InstalledProperty,
  Operation,
} from '#contract/console-api/shapes.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { inTimeZone } from '#contract/console-api/pages/operations.ts'
import { searchReadingText } from '../subjects/operations/search-reading.ts'
import { operationName, bundleNameOf } from '../subjects/operations/operation-texts.ts'
import { ApiError, callApi } from '../api/client.ts'
import { apiQuery } from '../api/query.ts'
import { readyMadeViews, savedView, viewLink } from '../subjects/views/views.ts'
import { scopesFor } from '../subjects/scopes/use-scope-search.ts'
import { propertyTitle } from '../forms/property/property-labels.ts'
import { matchesWords, parseScope, scopeText } from '../subjects/scopes/scope-text.ts'
import { currentText, type Translate } from '../i18n/use-text.ts'
import type { PaletteGroup, PaletteHit } from '../subjects/shell/shell-context.ts'
import { paths } from '../addresses/paths.ts'
import { installationLook, operationLook } from '../ui/states.ts'
import type { LinkTarget } from '../ui/Link.tsx'
import { shortenId } from '../ui/Id.tsx'
import { batchOfId, pageOfAddress, placesOfLocator } from './palette-target.ts'

const MAX_HITS = 6
/** Of a text that lists are searched for. */
const TEXT_MAX = 128
/** Of one property, as many installations as the runtime lists. */
const MAX_PLACES = 3
/** Of lists that are searched here, so that typing sends few requests. */
const LIST_LIMIT = 200
const CONFIGURATION =
  'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const

/** What somebody looks for, and with what. */
interface Search {
  text: string
  t: Translate
  client: QueryClient
  signal: AbortSignal
}

/**
 * Finds scopes, installations, operations, bundles, plugins, services, and properties by title. Each word of the text
 * must occur, of operations as many as any has; ids are found by their start or end. A pasted scope comes first; a
 * pasted address or locator is all that is looked for. What begins with a word comes first, then what has one in its
 * title.
 */
export async function searchEverything(
  text: string,
  { t, client, signal }: Omit<Search, 'text'>,
): Promise<readonly PaletteGroup[]> {
  const address = pageOfAddress(text, t)
  if (address !== null) return [address]
  const located = await placesOfLocator(text, { t, signal })
  if (located !== null) return [located]
  const search = { text, t, client, signal }
  // two requests at a time leave connections of the browser for the page
  const [installations, operations] = await Promise.all([findInstallations(search), findOperations(search)])
  const [scopes, bundles, actions, batch] = await Promise.all([
    findScopes(search),
    findBundles(search),
    findActions(search),
    batchOfId(text, { t, signal }),
  ])
  const [plugins, services] = await Promise.all([findPlugins(search), findServices(search)])
  const [views, properties] = await Promise.all([findViews(search), findProperties(search)])
  return [actions, views, scopes, installations, properties, operations, batch, bundles, plugins, services]
}

const queryOf = ({ text }: Search) => ({ q: text.slice(0, TEXT_MAX), limit: MAX_HITS })
const WHOLE = { query: { limit: LIST_LIMIT } }

function findInstallations(search: Search): Promise<PaletteGroup> {
  const { t, signal } = search
  const query = queryOf(search)
  const find = async () => {
    const { items } = await callApi('GET /installations', { query }, { signal })
    return items.map((row) => installationHit(row, t))
  }
  return groupOf(t('shell.nav.installations'), signal, find, paths.installations({ q: query.q }))
}

function findOperations(search: Search): Promise<PaletteGroup> {
  const { t, signal } = search
  const query = queryOf(search)
  const find = async () => {
    const found = await callApi('GET /operations', { query: inTimeZone(query) }, { signal })
    const { items, search: reading } = found
    const note = reading === undefined || items.length === 0 ? null : searchReadingText(reading, t)
    return { hits: items.map((row) => operationHit(row, t)), note }
  }
  return groupOf(t('shell.nav.operations'), signal, find, paths.operations({ q: query.q }))
}

function findScopes({ text, t, client, signal }: Search): Promise<PaletteGroup> {
  const find = async () => scopeHits(text, await scopesFor(client, text))
  return groupOf(t('shell.palette.scopes'), signal, find)
}

const bundleText = ({ bundle }: Pick<Bundle, 'bundle'>): string =>
  `${bundle.environmentKey}/${bundle.bundleId}`

function findBundles({ text, t, client, signal }: Search): Promise<PaletteGroup> {
  return groupOf(t('shell.palette.bundles'), signal, async () => {
    const { items } = await client.fetchQuery(apiQuery('GET /bundles', WHOLE))
    return matching(items, text, ({ title }) => title, bundleText).map((found) => {
      const { bundle, title, latest } = found
      return {
        id: `bundle ${bundleText(found)}`,
        title,
        detail: bundleText(found),
        icon: 'catalog' as const,
        to: paths.bundleVersion({
          env: bundle.environmentKey,
          bundle: bundle.bundleId,
          version: latest.version,
        }),
      }
    })
  })
}

function findActions({ text, t, client, signal }: Search): Promise<PaletteGroup> {
  return groupOf(t('shell.palette.actions'), signal, async () => {
    const { items } = await client.fetchQuery(apiQuery('GET /bundles', WHOLE))
    const { permissions } = await client.fetchQuery(apiQuery('GET /session', {}))
    return bundleActions(text, { t, bundles: items, permissions })
  })
}

function findPlugins({ text, t, client, signal }: Search): Promise<PaletteGroup> {
  return groupOf(t('shell.nav.plugins'), signal, async () => {
    const { items } = await client.fetchQuery(apiQuery('GET /plugins', WHOLE))
    const found = matching(
      items,
      text,
      ({ title }) => title,
      ({ pluginId }) => pluginId,
    )
    return found.map(({ pluginId, title }) => ({
      id: `plugin ${pluginId}`,
      title,
      detail: pluginId,
      icon: 'plugins' as const,
      to: paths.plugin(pluginId),
    }))
  })
}

function findServices({ text, t, client, signal }: Search): Promise<PaletteGroup> {
  return groupOf(t('shell.nav.services'), signal, async () => {
    const { items } = await client.fetchQuery(apiQuery('GET /services', WHOLE))
    const found = matching(
      items,
      text,
      ({ title }) => title,
      ({ serviceId }) => serviceId,
    )
    return found.map(({ serviceId, title }) => ({
      id: `service ${serviceId}`,
      title,
      detail: serviceId,
      icon: 'services' as const,
      to: paths.service(serviceId),
    }))
  })
}

function findViews({ text, t, client, signal }: Search): Promise<PaletteGroup> {
  return groupOf(t('shell.palette.views'), signal, async () => {
    const [{ user }, { items }] = await Promise.all([
      client.fetchQuery(apiQuery('GET /session', {})),
      client.fetchQuery(apiQuery('GET /saved-views', {})),
    ])
    // `t` does not have the texts that were loaded just now
    const ready = readyMadeViews(currentText(), { userId: user.id, now: Date.now() })
    const found = matching(
      [...items.map(savedView), ...ready],
      text,
      ({ name }) => t('shell.palette.view', { name }),
      ({ page }) => t(`shell.nav.${page}`),
    )
    return found.map((view) => ({
      id: `view ${view.id}`,
      title: t('shell.palette.view', { name: view.name }),
      detail: t(`shell.nav.${view.page}`),
      icon: 'bookmark' as const,
      to: viewLink(view),
    }))
  })
}

function findProperties(search: Search): Promise<PaletteGroup> {
  const { text, t, client, signal } = search
  const query = queryOf(search)
  const find = async () => {
    const { items } = await callApi(
      'GET /installed-properties',
      { query: { ...query, limit: MAX_HITS * MAX_PLACES } },
      { signal },
    )
    // those of a configuration that is open come first, also if its version is not the newest
    const hits = [...loadedPropertyHits(text, client), ...propertyHits(items, t)]
    return [...new Map(hits.map((hit) => [hit.id, hit])).values()].slice(0, MAX_HITS)
  }
  return groupOf(t('shell.palette.properties'), signal, find, paths.properties({ q: query.q }))
}

/** The results of one list. If it cannot be searched, the others still show theirs. */
async function groupOf(
  title: string,
  signal: AbortSignal,
  find: () => Promise<readonly PaletteHit[] | { hits: readonly PaletteHit[]; note: string | null }>,
  /** The list that shows all results. */
  all?: LinkTarget,
): Promise<PaletteGroup> {
  try {
    const found = await find()
    const { hits, note } = 'hits' in found ? found : { hits: found, note: null }
    const mayHaveMore = hits.length >= MAX_HITS
    return {
      title,
      hits,
      mayHaveMore,
      ...(mayHaveMore && all !== undefined && { more: all }),
      ...(note !== null && { note }),
    }
  } catch (error) {
    signal.throwIfAborted()
    // only a failed request: anything else is a fault of this code
    if (!(error instanceof ApiError)) throw error
    return { title, hits: [], isFailed: true }
  }
}

/** The rows whose title or name has every word: by the beginning of the title, by the title, by the name. */
function matching<Row>(
  rows: readonly Row[],
  text: string,
  titleOf: (row: Row) => string,
  nameOf: (row: Row) => string = () => '',
): Row[] {
  const words = text.toLowerCase().split(/\s+/)
  const rank = (row: Row): number => {
    const title = titleOf(row).toLowerCase()
    if (words.some((word) => title.startsWith(word))) return 0
    return words.some((word) => title.includes(word)) ? 1 : 2
  }
  return rows
    .filter((row) => matchesWords(`${titleOf(row)} ${nameOf(row)}`, text))
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, MAX_HITS)
}

/** "install billing": some words name an action, and the others a bundle. */
function bundleActions(
  text: string,
  { t, bundles, permissions }: { t: Translate; bundles: readonly Bundle[]; permissions: readonly string[] },
): PaletteHit[] {
  const words = text.split(/\s+/)
  return ACTIONS.flatMap(({ id, needs, icon, to }) => {
    if (!permissions.includes(needs)) return []
    const isAction = (word: string) =>
      t(`shell.action.${id}.words`)
        .split(/[ 、]/)
        .some((known) => known.startsWith(word.toLowerCase()))
    const rest = words.filter((word) => !isAction(word))
    if (rest.length === 0 || rest.length === words.length) return []
    return matching(bundles, rest.join(' '), ({ title }) => title, bundleText).map(({ bundle, title }) => ({
      id: `${id} ${bundleText({ bundle })}`,
      title: t(`shell.action.${id}.bundle`, { bundle: title }),
      detail: bundleText({ bundle }),
      icon,
      to: to(bundle),
    }))
  }).slice(0, MAX_HITS)
}

const ofBundle = ({ environmentKey, bundleId }: Bundle['bundle']) => ({
  bundleEnvironmentKey: environmentKey,
  bundleId,
})
const ACTIONS = [
  {
    id: 'install',
    needs: 'installation:install',
    icon: 'plus',
    to: (bundle: Bundle['bundle']): LinkTarget => paths.installationNew(ofBundle(bundle)),
  },
  {
    id: 'upgrade',
    needs: 'installation:upgrade',
    icon: 'sortUp',
    to: (bundle: Bundle['bundle']): LinkTarget =>
      paths.installations({ ...ofBundle(bundle), upgrade: 'available' }),
  },
] as const

function scopeHits(text: string, known: readonly Parameters<typeof scopeText>[0][]): PaletteHit[] {
  const typed = parseScope(text.replaceAll(/\s*\/\s*/g, '/'))
  const found = matching(known, text, scopeText)
  const isNew = typed !== null && found.every((scope) => scopeText(scope) !== scopeText(typed))
  return (isNew ? [typed, ...found] : found).map((scope) => ({
    id: `scope ${scopeText(scope)}`,
    title: scopeText(scope),
    icon: 'scopes',
    to: paths.configuration(scope),
  }))
}

function loadedPropertyHits(text: string, client: QueryClient): PaletteHit[] {
  const loaded = client.getQueriesData<Configuration>({
    predicate: ({ queryKey, state }) => queryKey[0] === CONFIGURATION && state.data !== undefined,
  })
  const hits = loaded.flatMap(([, configuration]) =>
    Object.entries(configuration?.resources ?? {}).flatMap(([locator, resource]) =>
      Object.entries(resource.definitions).flatMap(([property, definition]) => {
        const title = propertyTitle(definition, property)
        if (configuration === undefined || !matchesWords(`${title} ${property} ${resource.title}`, text))
          return []
        return propertyHit({
          installation: configuration.scope,
          locator,
          resourceTitle: resource.title,
          property,
          title,
        })
      }),
    ),
  )
  return matching(
    hits,
    text,
    ({ title }) => title.slice(title.indexOf(SEPARATOR) + SEPARATOR.length),
    ({ title, name = '' }) => `${title} ${name}`,
  )
}

/** Few installations of one property are listed; many are one result, which leads to all of them. */
function propertyHits(items: readonly InstalledProperty[], t: Translate): PaletteHit[] {
  const groups = Map.groupBy(items, ({ installation: { bundle }, locator, property }) =>
    JSON.stringify([bundle, locator, property]),
  )
  return [...groups.values()].flatMap((rows) => {
    const [first] = rows
    if (first === undefined) return []
    if (first.installations <= rows.length) return rows.map(propertyHit)
    return [propertyEverywhereHit(first, t)]
  })
}

const SEPARATOR = ' · '
/** Of one property that are listed at once; a part of the scope selects others. */
const MAX_SCOPES = 20

function propertyEverywhereHit(found: InstalledProperty, t: Translate): PaletteHit {
  const { installation, locator, property, installations } = found
  const { environmentKey: bundleEnvironmentKey, bundleId } = installation.bundle
  const of = { bundleEnvironmentKey, bundleId, state: 'ACTIVE' as const }
  const { title, ...hit } = propertyHit(found)
  return {
    id: `property ${locator} ${property}`,
    title,
    ...(hit.name !== undefined && { name: hit.name }),
    detail: t(installations >= PLACES_COUNTED ? 'shell.palette.scopesOrMore' : 'shell.palette.inScopes', {
      n: installations,
    }),
    icon: 'edit',
    within: async (text, signal) => {
      const q = text.slice(0, TEXT_MAX)
      const everywhere = {
        id: 'property everywhere',
        title: t('shell.palette.everywhere'),
        icon: 'edit' as const,
        to: paths.property(locator, property),
      }
      const query = { ...of, limit: MAX_SCOPES, ...(q !== '' && { q }) }
      const { items, nextCursor } = await callApi('GET /installations', { query }, { signal })
      return [
        {
          title,
          hits: [
            ...(q === '' ? [everywhere] : []),
            ...items.map(({ installation: place }) => ({
              id: `property ${place.bundleInstallId}`,
              title: scopeText(place),
              icon: 'scopes' as const,
              to: paths.configuration(place, { resource: locator, property }),
            })),
          ],
          ...(nextCursor !== null && { more: paths.property(locator, property) }),
        },
      ]
    },
  }
}

/** The number that stands for more. */
const PLACES_COUNTED = 100

function propertyHit({
  installation,
  locator,
  resourceTitle,
  property,
  title,
}: Omit<InstalledProperty, 'installation' | 'installations'> & { installation: Scope }): PaletteHit {
  const scope = scopeText(installation)
  return {
    id: `property ${scope} ${locator} ${property}`,
    title: `${resourceTitle}${SEPARATOR}${title}`,
    name: property,
    detail: scope,
    icon: 'edit',
    to: paths.configuration(installation, { resource: locator, property }),
  }
}

function installationHit(row: Installation, t: Translate): PaletteHit {
  const { installation, version, state } = row
  const { bundleInstallId } = installation
  const { icon, word } = installationLook[state]
  return {
    id: bundleInstallId,
    title: `${bundleNameOf(row)}${version === null ? '' : ` ${version}`} · ${t(word)}`,
    detail: scopeText(installation),
    icon,
    to: paths.installation(bundleInstallId),
  }
}

function operationHit(operation: Operation, t: Translate): PaletteHit {
  const { operationId, installation, state } = operation
  const { icon, word } = operationLook[state]
  return {
    id: operationId,
    title: `${operationName(operation, t)} · ${t(word)}`,
    // what tells operations of one bundle apart: the scope, and the end of the id that somebody pasted
    detail: `${scopeText(installation)} · ${shortenId(operationId)}`,
    icon,
    to: paths.operation(operationId),
  }
}

import type { QueryClient } from '@tanstack/react-query'
import type {
  Configuration,
  Installation,
  InstalledProperty,
  Operation,
} from '#contract/console-api/shapes.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { operationTypeKey } from '../subjects/operations/operation-texts.ts'
import { ApiError, callApi } from '../api/client.ts'
import { apiQuery } from '../api/query.ts'
import { readyMadeViews, savedView, viewLink } from '../subjects/views/views.ts'
import { propertyTitle } from '../forms/property/property-labels.ts'
import { matchesWords, parseScope, scopeText } from '../subjects/scopes/scope-text.ts'
import { currentText, type Translate } from '../i18n/use-text.ts'
import type { PaletteGroup, PaletteHit } from '../subjects/shell/shell-context.ts'
import { paths } from '../addresses/paths.ts'
import { installationLook, operationLook } from '../ui/states.ts'
import { shortenId } from '../ui/Id.tsx'

const MAX_HITS = 6
/** Of one property, as many installations as the runtime lists. */
const MAX_PLACES = 3
/** Of lists that are searched here, so that typing sends few requests. */
const LIST_LIMIT = 200
const CONFIGURATION =
  'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const

/**
 * Finds scopes, installations, operations, bundles, plugins, services, and properties by title. Each word of the text
 * must occur; ids are found by their start or end. A pasted scope comes first.
 */
export async function searchEverything(
  text: string,
  { t, client, signal }: { t: Translate; client: QueryClient; signal: AbortSignal },
): Promise<readonly PaletteGroup[]> {
  const query = { q: text, limit: MAX_HITS }
  const whole = { query: { limit: LIST_LIMIT } }
  // two requests at a time leave connections of the browser for the page
  const [installations, operations] = await Promise.all([
    groupOf(t('shell.nav.installations'), signal, async () => {
      const { items } = await callApi('GET /installations', { query }, { signal })
      return items.map((row) => installationHit(row, t))
    }),
    groupOf(t('shell.nav.operations'), signal, async () => {
      const { items } = await callApi('GET /operations', { query }, { signal })
      return items.map((row) => operationHit(row, t))
    }),
  ])
  const [scopes, bundles] = await Promise.all([
    groupOf(t('shell.palette.scopes'), signal, async () => {
      const { items } = await client.fetchQuery(apiQuery('GET /scopes', whole))
      return scopeHits(text, items)
    }),
    groupOf(t('shell.palette.bundles'), signal, async () => {
      const { items } = await client.fetchQuery(apiQuery('GET /bundles', whole))
      return matching(
        items,
        text,
        ({ bundle, title }) => `${title} ${bundle.environmentKey}/${bundle.bundleId}`,
      ).map(({ bundle, title, latest: { version } }) => ({
        id: `bundle ${bundle.environmentKey}/${bundle.bundleId}`,
        title,
        detail: `${bundle.environmentKey}/${bundle.bundleId}`,
        icon: 'catalog' as const,
        to: paths.bundleVersion({ env: bundle.environmentKey, bundle: bundle.bundleId, version }),
      }))
    }),
  ])
  const [plugins, services] = await Promise.all([
    groupOf(t('shell.nav.plugins'), signal, async () => {
      const { items } = await client.fetchQuery(apiQuery('GET /plugins', whole))
      return matching(items, text, ({ pluginId, title }) => `${title} ${pluginId}`).map(
        ({ pluginId, title }) => ({
          id: `plugin ${pluginId}`,
          title,
          detail: pluginId,
          icon: 'plugins' as const,
          to: paths.plugin(pluginId),
        }),
      )
    }),
    groupOf(t('shell.nav.services'), signal, async () => {
      const { items } = await client.fetchQuery(apiQuery('GET /services', whole))
      return matching(items, text, ({ serviceId, title }) => `${title} ${serviceId}`).map(
        ({ serviceId, title }) => ({
          id: `service ${serviceId}`,
          title,
          detail: serviceId,
          icon: 'services' as const,
          to: paths.service(serviceId),
        }),
      )
    }),
  ])
  const [views, properties] = await Promise.all([
    groupOf(t('shell.palette.views'), signal, async () => {
      const [{ user }, { items }] = await Promise.all([
        client.fetchQuery(apiQuery('GET /session', {})),
        client.fetchQuery(apiQuery('GET /saved-views', {})),
      ])
      // `t` does not have the texts that were loaded just now
      const ready = readyMadeViews(currentText(), { userId: user.id, now: Date.now() })
      return matching([...items.map(savedView), ...ready], text, ({ name, page }) =>
        [t('shell.palette.view', { name }), t(`shell.nav.${page}`)].join(' '),
      ).map((view) => ({
        id: `view ${view.id}`,
        title: t('shell.palette.view', { name: view.name }),
        detail: t(`shell.nav.${view.page}`),
        icon: 'bookmark' as const,
        to: viewLink(view),
      }))
    }),
    groupOf(t('shell.palette.properties'), signal, async () => {
      const { items } = await callApi('GET /installed-properties', { query }, { signal })
      // those of a configuration that is open come first, also if its version is not the newest
      const hits = [...loadedPropertyHits(text, client), ...items.map(propertyHit)]
      return [...new Map(hits.map((hit) => [hit.id, hit])).values()].slice(0, MAX_HITS)
    }),
  ])
  return [views, scopes, installations, properties, operations, bundles, plugins, services]
}

/** The results of one list. If it cannot be searched, the others still show theirs. */
async function groupOf(
  title: string,
  signal: AbortSignal,
  find: () => Promise<readonly PaletteHit[]>,
): Promise<PaletteGroup> {
  try {
    const hits = await find()
    const ofProperty = Object.groupBy(hits, ({ id, title: name }) => (id.startsWith('property ') ? name : ''))
    const isCut = Object.entries(ofProperty).some(
      ([name, some]) => name !== '' && some?.length === MAX_PLACES,
    )
    return { title, hits, mayHaveMore: isCut || hits.length >= MAX_HITS }
  } catch (error) {
    signal.throwIfAborted()
    // only a failed request: anything else is a fault of this code
    if (!(error instanceof ApiError)) throw error
    return { title, hits: [], isFailed: true }
  }
}

const matching = <Row>(rows: readonly Row[], text: string, wordsOf: (row: Row) => string): Row[] =>
  rows.filter((row) => matchesWords(wordsOf(row), text)).slice(0, MAX_HITS)

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
  return hits.slice(0, MAX_HITS)
}

function propertyHit({
  installation,
  locator,
  resourceTitle,
  property,
  title,
}: Omit<InstalledProperty, 'installation'> & { installation: Scope }): PaletteHit {
  const scope = scopeText(installation)
  return {
    id: `property ${scope} ${locator} ${property}`,
    title: `${resourceTitle} · ${title}`,
    detail: scope,
    icon: 'edit',
    to: paths.configuration(installation, { resource: locator, property }),
  }
}

function installationHit({ installation, version, state }: Installation, t: Translate): PaletteHit {
  const { bundle, bundleInstallId } = installation
  const { icon, word } = installationLook[state]
  return {
    id: bundleInstallId,
    title: `${bundle.bundleId}${version === null ? '' : ` ${version}`} · ${t(word)}`,
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
    title: `${t(operationTypeKey(operation))} ${installation.bundle.bundleId} · ${t(word)}`,
    // what tells operations of one bundle apart: the scope, and the end of the id that somebody pasted
    detail: `${scopeText(installation)} · ${shortenId(operationId)}`,
    icon,
    to: paths.operation(operationId),
  }
}

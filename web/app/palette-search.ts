import type { QueryClient } from '@tanstack/react-query'
import type { Configuration, Installation, Operation } from '#contract/console-api/shapes.ts'
import { operationTypeKey } from '../components/operation-type.ts'
import { callApi } from '../api/client.ts'
import { apiQuery } from '../api/query.ts'
import { propertyTitle } from '../components/property-labels.ts'
import { matchesWords, parseScope, scopeText } from '../components/scope-text.ts'
import type { Translate } from '../i18n/use-text.ts'
import type { PaletteGroup, PaletteHit } from '../layouts/shell-context.ts'
import { paths } from '../paths.ts'
import { installationLook, operationLook } from '../ui/states.ts'
import { shortenId } from '../ui/Id.tsx'

const MAX_HITS = 6
/** Of lists that are searched here, so that typing sends few requests. */
const LIST_LIMIT = 200
const CONFIGURATION =
  'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const

/**
 * Finds scopes, installations, operations, bundles, plugins, services, and the properties of configurations that this
 * page has loaded. Each word of the text must occur; ids are found by their start or end. A pasted scope comes first.
 */
export async function searchEverything(
  text: string,
  { t, client, signal }: { t: Translate; client: QueryClient; signal: AbortSignal },
): Promise<readonly PaletteGroup[]> {
  const query = { q: text, limit: MAX_HITS }
  // two requests at a time leave connections of the browser for the page
  const [installations, operations] = await Promise.all([
    callApi('GET /installations', { query }, { signal }),
    callApi('GET /operations', { query }, { signal }),
  ])
  const whole = { query: { limit: LIST_LIMIT } }
  const [scopes, bundles] = await Promise.all([
    client.fetchQuery(apiQuery('GET /scopes', whole)),
    client.fetchQuery(apiQuery('GET /bundles', whole)),
  ])
  const [plugins, services] = await Promise.all([
    client.fetchQuery(apiQuery('GET /plugins', whole)),
    client.fetchQuery(apiQuery('GET /services', whole)),
  ])
  return [
    { title: t('shell.palette.scopes'), hits: scopeHits(text, scopes.items) },
    { title: t('shell.nav.installations'), hits: installations.items.map((row) => installationHit(row, t)) },
    { title: t('shell.palette.properties'), hits: propertyHits(text, client) },
    { title: t('shell.nav.operations'), hits: operations.items.map((row) => operationHit(row, t)) },
    {
      title: t('shell.palette.bundles'),
      hits: matching(
        bundles.items,
        text,
        ({ bundle, title }) => `${title} ${bundle.environmentKey}/${bundle.bundleId}`,
      ).map(({ bundle, title, latest: { version } }) => ({
        id: `bundle ${bundle.environmentKey}/${bundle.bundleId}`,
        title,
        detail: `${bundle.environmentKey}/${bundle.bundleId}`,
        icon: 'catalog',
        to: paths.bundleVersion({ env: bundle.environmentKey, bundle: bundle.bundleId, version }),
      })),
    },
    {
      title: t('shell.nav.plugins'),
      hits: matching(plugins.items, text, ({ pluginId, title }) => `${title} ${pluginId}`).map(
        ({ pluginId, title }) => ({
          id: `plugin ${pluginId}`,
          title,
          detail: pluginId,
          icon: 'plugins',
          to: paths.plugin(pluginId),
        }),
      ),
    },
    {
      title: t('shell.nav.services'),
      hits: matching(services.items, text, ({ serviceId, title }) => `${title} ${serviceId}`).map(
        ({ serviceId, title }) => ({
          id: `service ${serviceId}`,
          title,
          detail: serviceId,
          icon: 'services',
          to: paths.service(serviceId),
        }),
      ),
    },
  ]
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

function propertyHits(text: string, client: QueryClient): PaletteHit[] {
  const loaded = client.getQueriesData<Configuration>({
    predicate: ({ queryKey, state }) => queryKey[0] === CONFIGURATION && state.data !== undefined,
  })
  const hits = loaded.flatMap(([, configuration]) =>
    Object.entries(configuration?.resources ?? {}).flatMap(([locator, resource]) =>
      Object.entries(resource.definitions).flatMap(([property, definition]) => {
        const title = propertyTitle(definition, property)
        if (configuration === undefined || !matchesWords(`${title} ${property} ${resource.title}`, text))
          return []
        return {
          id: `property ${scopeText(configuration.scope)} ${locator} ${property}`,
          title,
          detail: `${resource.title} · ${property}`,
          icon: 'edit' as const,
          to: paths.configuration(configuration.scope, { resource: locator, property }),
        }
      }),
    ),
  )
  return hits.slice(0, MAX_HITS)
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
    detail: shortenId(operationId),
    icon,
    to: paths.operation(operationId),
  }
}

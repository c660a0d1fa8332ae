import { matchPage } from '#contract/console-api/pages/pages.ts'
import { rawSearch } from '#contract/console-api/pages/search-params.ts'
import { parseLocator } from '#contract/protocol/locator.ts'
import { Uuid } from '#contract/protocol/keys.ts'
import { ApiError, callApi } from '../api/client.ts'
import { paths } from '../addresses/paths.ts'
import { batchStateText } from '../subjects/batch/batch-looks.ts'
import { batchTitle } from '../subjects/batch/batch-title.ts'
import { scopeText } from '../subjects/scopes/scope-text.ts'
import type { PaletteGroup } from '../subjects/shell/shell-context.ts'
import type { Translate } from '../i18n/use-text.ts'

const MAX_PLACES = 6

/**
 * What a pasted address names, or null for any other text. An address of another system, or of no page, is said to be one.
 */
export function pageOfAddress(text: string, t: Translate): PaletteGroup | null {
  const isPath = /^\/[\w-]*(?:[/?#].*)?$/.test(text)
  if (!isPath && !/^https?:\/\//i.test(text)) return null
  const title = t('shell.palette.goTo')
  if (!URL.canParse(text, location.origin)) return { title, hits: [], note: t('shell.palette.noAddress') }
  const url = new URL(text, location.origin)
  if (url.host !== location.host)
    return { title, hits: [], note: t('shell.palette.otherHost', { host: url.host }) }
  if (matchPage(url.pathname) === null)
    return { title, hits: [], note: t('shell.palette.noPage', { path: url.pathname }) }
  const address = url.pathname + url.search + url.hash
  return {
    title,
    hits: [
      {
        id: `address ${address}`,
        title: address,
        icon: 'arrowRight',
        to: {
          to: url.pathname,
          search: rawSearch(url.searchParams),
          ...(url.hash !== '' && { hash: url.hash.slice(1) }),
        },
      },
    ],
  }
}

/** The installations that have the resource of a pasted locator; null for any other text. */
export async function placesOfLocator(
  text: string,
  { t, signal }: { t: Translate; signal: AbortSignal },
): Promise<PaletteGroup | null> {
  const parts = parseLocator(text)
  if (parts === null) return null
  const { environmentKey: bundleEnvironmentKey, bundleId } = parts
  const of = { bundleEnvironmentKey, bundleId, state: 'ACTIVE' as const }
  const { items, nextCursor } = await callApi(
    'GET /installations',
    { query: { ...of, limit: MAX_PLACES } },
    { signal },
  )
  return {
    title: t('shell.palette.resource', { resource: text }),
    hits: items.map(({ installation, version }) => ({
      id: `resource ${installation.bundleInstallId}`,
      title: scopeText(installation),
      detail: `${bundleId} ${version ?? ''}`,
      icon: 'module',
      to: paths.configuration(installation, { resource: text }),
    })),
    ...(nextCursor !== null && { more: paths.installations(of) }),
    ...(items.length === 0 && { note: t('shell.palette.noResource', { bundle: bundleId }) }),
  }
}

/** The batch of a pasted id. Installations and operations are found by theirs in their lists. */
export async function batchOfId(
  text: string,
  { t, signal }: { t: Translate; signal: AbortSignal },
): Promise<PaletteGroup> {
  const title = t('shell.nav.batches')
  const id = Uuid.safeParse(text.toLowerCase())
  if (!id.success) return { title, hits: [] }
  const note = t('shell.palette.noId')
  try {
    const batch = await callApi('GET /batches/{batchId}', { params: { batchId: id.data } }, { signal })
    return {
      title,
      hits: [
        {
          id: batch.batchId,
          title: batchTitle(batch, t),
          detail: batchStateText(batch, t),
          icon: 'batches',
          to: paths.batch(batch.batchId),
        },
      ],
    }
  } catch (error) {
    if (error instanceof ApiError && error.problem.code === 'NOT_FOUND') return { title, hits: [], note }
    throw error
  }
}

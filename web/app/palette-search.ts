import type { Installation, Operation } from '#contract/console-api/shapes.ts'
import { callApi } from '../api/client.ts'
import type { Translate } from '../i18n/use-text.ts'
import type { PaletteGroup, PaletteHit } from '../layouts/shell-context.ts'
import { paths } from '../paths.ts'
import { installationLook, operationLook } from '../ui/states.ts'
import { shortenId } from '../ui/Id.tsx'

const MAX_HITS = 6

/** Installations and operations whose name contains the text, or whose id starts or ends with it. */
export async function searchEverything(
  text: string,
  t: Translate,
  signal: AbortSignal,
): Promise<readonly PaletteGroup[]> {
  const [installations, operations] = await Promise.all([
    callApi('GET /installations', { query: { q: text, limit: MAX_HITS } }, { signal }),
    callApi('GET /operations', { query: { q: text, limit: MAX_HITS } }, { signal }),
  ])
  return [
    { title: t('shell.nav.installations'), hits: installations.items.map((row) => installationHit(row, t)) },
    { title: t('shell.nav.operations'), hits: operations.items.map((row) => operationHit(row, t)) },
  ]
}

function installationHit({ installation, version, state }: Installation, t: Translate): PaletteHit {
  const { environmentKey, applicationRuntimeId, workspaceId, bundle, bundleInstallId } = installation
  const { icon, word } = installationLook[state]
  return {
    id: bundleInstallId,
    title: `${bundle.bundleId}${version === null ? '' : ` ${version}`} · ${t(word)}`,
    detail: `${environmentKey}/${applicationRuntimeId}/${workspaceId}`,
    icon,
    to: paths.installation(bundleInstallId),
  }
}

function operationHit(operation: Operation, t: Translate): PaletteHit {
  const { operationId, operationType, installation, state } = operation
  const { icon, word } = operationLook[state]
  return {
    id: operationId,
    title: `${t(`vocabulary.type.${operationType}`)} ${installation.bundle.bundleId} · ${t(word)}`,
    detail: shortenId(operationId),
    icon,
    to: paths.operation(operationId),
  }
}

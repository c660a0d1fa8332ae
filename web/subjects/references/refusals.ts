import type { InstalledReference } from '#contract/console-api/shapes.ts'
import type { Translate } from '../../i18n/use-text.ts'

/** Whether a plugin can send requests to a service. */
export const isReady = ({ isEnabled, hasCredential }: InstalledReference['plugins'][number]) =>
  isEnabled && hasCredential

/**
 * Every reason why a reference does not resolve now: of the property, of each service, and of plugins if none of them can
 * send a request. Empty if it resolves.
 */
export function refusalsOf({ refusal, services, plugins }: InstalledReference, t: Translate): string[] {
  return [
    ...(refusal === null ? [] : [t(`references.reason.${refusal}`)]),
    ...services.flatMap(({ serviceId, refusal: why }) =>
      why === null ? [] : [t(`references.reason.${why}`, { service: serviceId })],
    ),
    ...(plugins.some(isReady)
      ? []
      : plugins.map(({ pluginId, isEnabled }) =>
          t(isEnabled ? 'references.plugin.noCredential' : 'references.plugin.disabled', {
            plugin: pluginId,
          }),
        )),
  ]
}

import type { InstalledReference } from '#contract/console-api/shapes.ts'
import { joinList } from '../../i18n/punctuation.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Icon } from '../../ui/Icon.tsx'
import { toneText } from '../../ui/tone.ts'

/** Whether a reference resolves now, for which plugins, or every reason why not. */
export function ReferenceResult({ reference }: { reference: InstalledReference }) {
  const t = useText()
  const refusals = refusalsOf(reference, t)
  const plugins = reference.plugins.filter(isReady).map(({ pluginId }) => pluginId)
  return (
    <div className="whitespace-normal">
      <p className="flex items-baseline gap-1.5 font-medium">
        <Icon
          name={refusals.length === 0 ? 'done' : 'failed'}
          size={12}
          className={refusals.length === 0 ? toneText.ok : toneText.fail}
        />
        {refusals.length === 0
          ? t('references.resolves.for', { plugins: joinList(t, plugins) })
          : t('references.refused')}
      </p>
      {refusals.length > 0 && (
        <ul className="pl-4.5 text-muted">
          {refusals.map((refusal) => (
            <li key={refusal}>{refusal}</li>
          ))}
        </ul>
      )}
      {reference.isChanged && reference.refusal !== 'NOT_APPLIED' && (
        <p className="pl-4.5 text-muted">{t('references.changed')}</p>
      )}
    </div>
  )
}

/** Whether a plugin can send requests to a service. */
const isReady = ({ isEnabled, hasCredential }: InstalledReference['plugins'][number]) =>
  isEnabled && hasCredential

/**
 * Every reason why a reference does not resolve now: of the property, of each service, and of plugins if none of them can
 * send a request. Empty if it resolves.
 */
function refusalsOf({ refusal, services, plugins }: InstalledReference, t: Translate): string[] {
  return [
    ...(refusal === null ? [] : [t(`references.reason.${refusal}`)]),
    ...services.flatMap(({ serviceId, refusal: why }) =>
      why === null ? [] : [t(`references.reason.${why}`, { service: serviceId })],
    ),
    ...(plugins.some(isReady)
      ? []
      : plugins.map(({ pluginId, isEnabled, isRetired }) =>
          t(
            isRetired
              ? 'references.plugin.retired'
              : isEnabled
                ? 'references.plugin.noCredential'
                : 'references.plugin.disabled',
            { plugin: pluginId },
          ),
        )),
  ]
}

import type { ReactNode } from 'react'
import type { RefusedWrite } from '#contract/console-api/shapes.ts'
import { LocatorText, Mono } from '../../../../ui/Id.tsx'
import { PluginLink } from '../../../../subjects/plugins/PluginLink.tsx'
import { joinList } from '../../../../i18n/punctuation.ts'
import { useRichText, useText } from '../../../../i18n/use-text.ts'
import { paths } from '../../../../addresses/paths.ts'
import { DefinitionList } from '../../../../ui/DefinitionList.tsx'
import { TextLink } from '../../../../ui/Link.tsx'

/** Why a write of a plugin was refused: what, by which rule, what the plugin may write, who else may, and where it says so. */
export function RefusedWriteTrace({ write }: { write: RefusedWrite }) {
  const t = useText()
  const rich = useRichText()
  const { rule, stage, pluginId, locator, property, permitted, writer, manifest, manifestPath } = write
  const names = (properties: readonly string[]): ReactNode =>
    properties.length === 0 ? (
      <span className="text-faint">{t('refusedWrites.nothing')}</span>
    ) : (
      <Mono>{joinList(t, properties)}</Mono>
    )
  const { bundle, version } = manifest
  const json = paths.bundleVersion(
    { env: bundle.environmentKey, bundle: bundle.bundleId, version },
    { tab: 'json' },
  )
  return (
    <section aria-label={t('refusedWrites.title')} className="border-t border-line pt-3">
      <h3 className="mb-1.5 font-semibold">{t('refusedWrites.title')}</h3>
      <DefinitionList
        items={[
          {
            label: t('refusedWrites.what'),
            value: (
              <>
                <p className="text-xs text-faint">
                  {rich('operations.failed.where', {
                    plugin: <span className="mono">{pluginId}</span>,
                    stage: t(`vocabulary.phase.${stage}`),
                  })}
                </p>
                <p>
                  {property === null ? (
                    <span className="text-muted">{t(`refusedWrites.unnamed.${unnamed(rule)}`)}</span>
                  ) : (
                    <Mono className="font-semibold">{property}</Mono>
                  )}
                </p>
                {locator !== null && <LocatorText locator={locator} />}
              </>
            ),
          },
          {
            label: t('refusedWrites.rule'),
            value: rich(`refusedWrites.rule.${rule}`, { plugin: <Mono>{pluginId}</Mono> }),
          },
          locator !== null && {
            label: t('refusedWrites.permitted'),
            value: (
              <>
                <p>
                  {rich('refusedWrites.permitted.writes', {
                    properties: names(permitted?.writeProperties ?? []),
                  })}
                </p>
                <p className="text-muted">
                  {rich('refusedWrites.permitted.reads', {
                    properties: names(permitted?.readProperties ?? []),
                  })}
                </p>
              </>
            ),
          },
          property !== null && {
            label: t('refusedWrites.writer'),
            value:
              writer === null ? (
                t('refusedWrites.writer.none')
              ) : (
                <PluginLink pluginId={writer.pluginId} className="font-semibold" />
              ),
          },
          {
            label: t('refusedWrites.manifest'),
            value: (
              <>
                <TextLink to={json}>{`${bundle.bundleId} ${version}`}</TextLink>
                <Place plugin={pluginId} path={manifestPath} />
                {writer !== null && <Place plugin={writer.pluginId} path={writer.manifestPath} />}
              </>
            ),
          },
        ]}
      />
      <p className="mt-2 max-w-[80ch] text-xs text-muted">{t('refusedWrites.frozen')}</p>
    </section>
  )
}

const unnamed = (rule: RefusedWrite['rule']) =>
  rule === 'PROPERTY_UNKNOWN' || rule === 'PROPERTY_PROTECTED' ? rule : 'RESOURCE'

function Place({ plugin, path }: { plugin: string; path: string | null }) {
  if (path === null) return null
  return (
    <span className="block text-xs">
      <span className="mono text-faint">{plugin}</span> <span className="mono wrap-anywhere">{path}</span>
    </span>
  )
}

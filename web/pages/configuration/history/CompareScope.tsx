import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Configuration } from '#contract/console-api/shapes.ts'
import { useErrorView } from '../../../i18n/describe-code.ts'
import { parseScope, scopeText } from '../../../subjects/scopes/scope-text.ts'
import { scopeOption, useScopeSearch } from '../../../subjects/scopes/use-scope-search.ts'
import { joinList } from '../../../i18n/punctuation.ts'
import { useText } from '../../../i18n/use-text.ts'
import type { ScopeKey } from '../../../addresses/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Combobox } from '../../../ui/Combobox.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { Field } from '../../../ui/Field.tsx'
import { focusHome } from '../../../ui/keep-focus.ts'
import { SkeletonLines } from '../../../ui/Skeleton.tsx'
import { useEditor } from '../editor/editor-context.ts'
import { configurationQuery } from '../draft/endpoints.ts'
import { isHidden } from '../../../forms/property/property-value.ts'
import { valuesOf } from '../../../subjects/configuration-files/configuration-file.ts'
import { placeBound, servicesIn } from '../../../subjects/scopes/place-bound.ts'
import { resourceTitle } from '../../../forms/property/property-labels.ts'
import { Differences, keyOf } from './Differences.tsx'
import { differences } from '../draft/restore.ts'

/** What differs between this scope and another one. Values of the other scope can be taken into the draft. */
export function CompareScope({
  other: text,
  onChoose,
  onClose,
}: {
  /** The other scope as `environment/runtime/workspace`; null before one is chosen. */
  other: string | null
  onChoose: (other: string | null) => void
  onClose: () => void
}) {
  const t = useText()
  const search = useScopeSearch()
  const own = scopeText(useEditor().configuration.scope)
  const other = parseScope(text ?? '')
  return (
    <section
      {...focusHome('compare-scopes')}
      aria-label={t('configuration.compare.scopes')}
      className="mb-6 rounded-lg border border-line-strong"
    >
      <div className="flex items-end gap-3 border-b border-line px-4 py-3">
        <div role="group" id="compare-other" className="w-full max-w-md">
          <Field label={t('configuration.compare.other')}>
            {(wiring) => (
              <Combobox
                wiring={wiring}
                value={other && scopeOption(other)}
                search={async (words) => (await search(words)).filter(({ value }) => value !== own)}
                onChange={(option) => onChoose(option?.value ?? null)}
              />
            )}
          </Field>
        </div>
        <Button
          className="ml-auto"
          variant="quiet"
          icon="close"
          label={t('common.close')}
          onClick={onClose}
        />
      </div>
      {other && scopeText(other) !== own && (
        <div className="p-4">
          <Comparison key={scopeText(other)} other={other} />
        </div>
      )}
    </section>
  )
}

function Comparison({ other }: { other: ScopeKey }) {
  const query = useQuery(configurationQuery(other))
  const error = useErrorView(query.error)
  if (query.data) return <ScopeDifferences source={query.data} />
  return error ? (
    <ErrorState error={error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
  ) : (
    <SkeletonLines lines={6} />
  )
}

function ScopeDifferences({ source }: { source: Configuration }) {
  const t = useText()
  const { configuration } = useEditor()
  const { changes, values } = useMemo(() => {
    const changed = differences(configuration, source).filter(
      ({ locator }) => configuration.resources[locator] && source.resources[locator],
    )
    const keys = new Set(changed.map(keyOf))
    const values = valuesOf(source).filter(
      (value) =>
        keys.has(keyOf(value)) &&
        !isHidden(value.value) &&
        // the version that is installed here may lack it
        Object.hasOwn(configuration.resources[value.locator]?.definitions ?? {}, value.property) &&
        !Object.hasOwn(configuration.resources[value.locator]?.writtenBy ?? {}, value.property),
    )
    return {
      changes: changed,
      // the runtime refuses a service that the scope may not use
      values: placeBound(values, configuration, {
        from: source.scope,
        source,
        usable: new Set(servicesIn(values)),
      }),
    }
  }, [configuration, source])
  const resourceOf = (locator: string) => {
    const own = configuration.resources[locator]
    return own && { ...own, definitions: { ...source.resources[locator]?.definitions, ...own.definitions } }
  }
  const only = (one: Configuration, another: Configuration) =>
    Object.entries(one.resources).flatMap(([locator, resource]) =>
      another.resources[locator] ? [] : [resourceTitle(resource, locator)],
    )
  const [here, there] = [only(configuration, source), only(source, configuration)]
  return (
    <div className="space-y-3">
      <p className="max-w-[72ch] text-muted">{t('configuration.compare.scopes.about')}</p>
      {here.length > 0 && <p>{t('configuration.compare.onlyHere', { names: joinList(t, here) })}</p>}
      {there.length > 0 && <p>{t('configuration.compare.onlyThere', { names: joinList(t, there) })}</p>}
      <Differences
        action="take"
        changes={changes}
        values={values}
        sides={{ before: scopeText(configuration.scope), after: scopeText(source.scope) }}
        resourceOf={resourceOf}
      />
    </div>
  )
}

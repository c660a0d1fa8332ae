import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { Icon } from '../../ui/Icon.tsx'
import { MarkedText } from '../../ui/value/MarkedText.tsx'
import { ValueView } from '../../ui/value/ValueView.tsx'
import type { Aspect, PropertyDifference } from './compare-manifests.ts'
import { describeDefinition } from './describe-definition.ts'

/** Describes the changes of a definition; the schemas are shown on demand. */
export function DefinitionChange({ difference }: { difference: PropertyDifference }) {
  const t = useText()
  const { before, after, aspects } = difference
  if (before === null && after !== null) {
    return (
      <p className="text-muted">
        {[
          describeDefinition(after, t),
          after.required === true && t('catalog.type.required'),
          after.isSensitive === true && t('catalog.type.sensitive'),
        ]
          .filter(Boolean)
          .join(' · ')}
        {after.default !== undefined && (
          <>
            {'\u00a0· '}
            {t('catalog.compare.default')} <ValueView value={after.default} />
          </>
        )}
      </p>
    )
  }
  if (before === null || after === null) return null
  const words = aspects
    .filter((aspect) => aspect !== 'default' && aspect !== 'schema')
    .map((aspect) => aspectText(aspect, before, after, t))
  const [was, is] = [describeDefinition(before, t), describeDefinition(after, t)]
  return (
    <div className="space-y-0.5 text-muted">
      {words.length > 0 && <p>{words.join(' · ')}</p>}
      {aspects.includes('schema') && (
        <details>
          <summary className="inline-flex min-h-6 flex-wrap items-center gap-x-1.5 rounded-sm hover:text-ink">
            {was === is ? (
              t('catalog.compare.schema')
            ) : (
              <>
                <span>{was}</span>
                <Icon name="arrowRight" size={12} />
                <span>{is}</span>
              </>
            )}
            <Icon name="chevronDown" size={12} />
          </summary>
          <BeforeAfterText before={before.schema} after={after.schema} />
        </details>
      )}
      {aspects.includes('default') && (
        <p className="flex flex-wrap items-center gap-x-1.5">
          {t('catalog.compare.default')}
          <DefaultValue value={before.default} />
          <Icon name="arrowRight" size={12} />
          <DefaultValue value={after.default} />
        </p>
      )}
    </div>
  )
}

function DefaultValue({ value }: { value: unknown }) {
  const t = useText()
  if (value === undefined) return <em className="text-faint">{t('catalog.compare.noDefault')}</em>
  return <ValueView value={value} />
}

function BeforeAfterText({ before, after }: { before: unknown; after: unknown }) {
  const t = useText()
  return (
    <div className="mt-1 grid gap-2 md:grid-cols-2">
      {[
        { label: t('common.diff.before'), schema: before, tint: 'bg-fail-tint' },
        { label: t('common.diff.after'), schema: after, tint: 'bg-ok-tint' },
      ].map(({ label, schema, tint }) => (
        <pre
          key={label}
          aria-label={label}
          className={`overflow-x-auto rounded-md px-3 py-2 text-xs/5 text-ink ${tint}`}
        >
          <MarkedText text={JSON.stringify(schema ?? null, null, 2)} isJson />
        </pre>
      ))}
    </div>
  )
}

function aspectText(
  aspect: Exclude<Aspect, 'schema' | 'default'>,
  before: PropertyDefinition,
  after: PropertyDefinition,
  t: Translate,
): string {
  switch (aspect) {
    case 'kind':
      return t('catalog.compare.kind', {
        before: describeDefinition(before, t),
        after: describeDefinition(after, t),
      })
    case 'required':
      return t(after.required === true ? 'catalog.compare.required' : 'catalog.compare.optional')
    case 'isSensitive':
      return t(after.isSensitive === true ? 'catalog.compare.sensitive' : 'catalog.compare.notSensitive')
    case 'writer':
      return t('catalog.compare.writer')
    case 'place':
      return t('catalog.compare.place')
  }
}

import type { Batch } from '#contract/console-api/shapes.ts'
import { useText } from '../../i18n/use-text.ts'
import { Mono } from '../../ui/Id.tsx'
import { PropertyValueView } from '../../ui/value/ValueView.tsx'

/** The values that a batch sets. */
export function BatchValues({ properties }: Pick<Batch['input'], 'properties'>) {
  const t = useText()
  return (
    <ul>
      {properties.map(({ locator, property, title, after, fills, targets, differs }) => (
        // a property may be set everywhere, filled, and have values of its own
        <li key={`${locator} ${property} ${fills} ${targets}`} className="flex flex-wrap gap-x-3">
          {title === undefined ? <Mono>{property}</Mono> : <span title={property}>{title}</span>}
          {differs === true ? null : <PropertyValueView value={after} />}
          {targets !== undefined && (
            <span className="text-muted">
              {t(differs === true ? 'batches.fact.differs' : 'batches.fact.some', { n: targets })}
            </span>
          )}
          {fills === true && <span className="text-muted">{t('batches.fact.fills')}</span>}
        </li>
      ))}
    </ul>
  )
}

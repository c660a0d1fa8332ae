import type { Batch } from '#contract/console-api/shapes.ts'
import { useText } from '../../i18n/use-text.ts'
import { Card } from '../../ui/Card.tsx'
import { DefinitionList } from '../../ui/DefinitionList.tsx'
import { Mono } from '../../ui/Id.tsx'
import { Time } from '../../ui/Time.tsx'
import { PropertyValueView } from '../../ui/values/ValueView.tsx'

/** What a batch does, for whom and within which limits. */
export function BatchFacts({ batch }: { batch: Batch }) {
  const t = useText()
  const { input, first, concurrency, stopAfterFailures, reason, requestedBy, createdAt, finishedAt } = batch
  return (
    <Card className="mb-5">
      <DefinitionList
        layout="columns"
        items={[
          input.targetVersion !== null && {
            label: t('batches.fact.version'),
            value: <Mono>{input.targetVersion}</Mono>,
          },
          { label: t('batches.fact.by'), value: requestedBy.name },
          { label: t('batches.fact.created'), value: <Time at={createdAt} /> },
          finishedAt !== null && { label: t('batches.fact.finished'), value: <Time at={finishedAt} /> },
          first !== null && { label: t('batches.fact.first'), value: first },
          { label: t('batches.fact.concurrency'), value: concurrency },
          stopAfterFailures !== null && { label: t('batches.fact.failures'), value: stopAfterFailures },
          reason !== null && { label: t('batches.fact.reason'), value: reason, wide: true },
          input.properties.length > 0 && {
            label: t('batches.fact.values'),
            wide: true,
            value: (
              <ul>
                {input.properties.map(({ locator, property, title, after, fills }) => (
                  <li key={`${locator} ${property}`} className="flex flex-wrap gap-x-3">
                    {title === undefined ? <Mono>{property}</Mono> : <span title={property}>{title}</span>}
                    <PropertyValueView value={after} />
                    {fills === true && <span className="text-muted">{t('batches.fact.fills')}</span>}
                  </li>
                ))}
              </ul>
            ),
          },
        ]}
      />
    </Card>
  )
}

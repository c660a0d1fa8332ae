import type { Batch, BatchItem } from '#contract/console-api/shapes.ts'
import { itemLook } from '../../subjects/batch/batch-looks.ts'
import { PlanProblemText } from '../../subjects/plan/PlanProblemText.tsx'
import { ScopeText } from '../../subjects/scopes/ScopeText.tsx'
import { useText, type Translate } from '../../i18n/use-text.ts'
import { paths } from '../../addresses/paths.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Beats } from '../../ui/Beats.tsx'
import { PlainLink, TextLink } from '../../ui/Link.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import { ChangedValue } from '../../ui/value/BeforeAfter.tsx'
import type { Column } from '../../ui/table/column.ts'

/** The operation that an item started, or that it was about. */
export const operationOf = (
  { operationId, target }: BatchItem,
  action: Batch['action'],
): string | undefined => operationId ?? (action === 'RETRY' || action === 'TAKEOVER' ? target : undefined)

/**
 * @param batch Says what is done, and names the properties.
 * @param hasValues Whether any row has some.
 */
export const itemColumns = (
  t: Translate,
  { action, input, waves }: Pick<Batch, 'action' | 'input' | 'waves'>,
  hasValues: boolean,
): Column<BatchItem>[] => [
  {
    id: 'installation',
    header: t('batches.items.installation'),
    cell: ({ installation, bundle, title }) =>
      installation === null ? (
        (title ?? bundle.bundleId)
      ) : (
        <PlainLink
          to={paths.installation(installation.bundleInstallId)}
          className="target rounded-sm hover:underline"
        >
          {title ?? bundle.bundleId}
        </PlainLink>
      ),
    width: 'max(7.5rem, 18cqi)',
  },
  {
    id: 'scope',
    header: t('batches.items.scope'),
    cell: ({ scope }) => <ScopeText scope={scope} />,
    card: 'line',
    // without values, most results are one word
    width: hasValues ? 'max(13.5rem, 22cqi)' : 'max(13.5rem, 32cqi)',
  },
  ...(waves === undefined ? [] : [waveColumn(t)]),
  ...(hasValues ? [valuesColumn(t, input)] : []),
  {
    id: 'result',
    header: t('batches.items.result'),
    card: 'plain',
    cell: (item) => <Result item={item} input={input} />,
  },
  {
    id: 'operation',
    header: t('batches.items.operation'),
    width: '8.5rem',
    card: 'plain',
    cell: (item) => {
      const operationId = operationOf(item, action)
      return operationId === undefined ? (
        <Nothing />
      ) : (
        <TextLink to={paths.operation(operationId)}>{t('batches.items.open')}</TextLink>
      )
    },
  },
]

/** The result, how far the operation is, and why it was refused or failed. */
function Result({ item, input }: { item: BatchItem; input: Batch['input'] }) {
  const { state, phase, message, parameters, code, locator, property } = item
  const t = useText()
  return (
    <>
      <span className="flex items-center gap-3">
        {/* so that the stages of all rows are below each other */}
        <span className="min-w-24">
          <Badge look="plain" {...itemLook[state]}>
            {t(`batches.item.${state}`)}
          </Badge>
        </span>
        {phase !== undefined && <Beats phase={phase} tone={itemLook[state].tone} />}
      </span>
      {message !== undefined && (
        <span title={code} className="block pb-1 text-xs leading-snug whitespace-normal text-muted">
          <PlanProblemText
            problem={{ message, parameters, property }}
            title={
              input.properties.find((one) => one.locator === locator && one.property === property)?.title
            }
          />
        </span>
      )}
    </>
  )
}

const waveColumn = (t: Translate): Column<BatchItem> => ({
  id: 'wave',
  header: t('batches.items.wave'),
  width: '5rem',
  cell: ({ wave }) => wave ?? <Nothing />,
})

/** What each target got: the value before, and the one that the batch sets. */
const valuesColumn = (t: Translate, { properties }: Batch['input']): Column<BatchItem> => {
  const titles = new Map(properties.map(({ locator, property, title }) => [`${locator} ${property}`, title]))
  return {
    id: 'values',
    header: t('batches.items.values'),
    card: 'wide',
    width: 'max(12rem, 22cqi)',
    hideBelow: 'lg',
    cell: ({ values }) =>
      values.length === 0 ? (
        <Nothing />
      ) : (
        <ul className="whitespace-normal @min-[40rem]/table:py-1">
          {values.map(({ locator, property, before, after }) => (
            <li key={`${locator} ${property}`} className="flex flex-wrap items-baseline gap-x-1.5">
              {/* of a single property, the page says which */}
              {titles.size > 1 && (
                <span title={property} className="text-xs text-muted">
                  {titles.get(`${locator} ${property}`) ?? property}
                </span>
              )}
              <ChangedValue before={before} after={after} />
            </li>
          ))}
        </ul>
      ),
  }
}

import type { Failure, OperationDetail } from '#contract/console-api/shapes.ts'
import { OutsideLink, RunbookText } from '../../../../subjects/plugins/RunbookText.tsx'
import { useText } from '../../../../i18n/use-text.ts'
import { DefinitionList } from '../../../../ui/DefinitionList.tsx'
import { useNow } from '../../../../ui/use-now.ts'
import { outsideLinks, runbookFor } from './runbook.ts'

/** The runbook for a failure, and the links to logs and traces, which the people who run the plugin have registered. */
export function Guidance({
  operation,
  pluginId,
  failure,
}: {
  operation: OperationDetail
  pluginId: string | undefined
  failure: Failure | null
}) {
  const t = useText()
  const now = useNow(60_000)
  const runbook = failure && runbookFor(operation, pluginId, failure)
  const links = outsideLinks(operation, pluginId, now)
  if (runbook === null && links.length === 0) return null
  return (
    <DefinitionList
      items={[
        runbook !== null && {
          label: t('operations.failed.runbook'),
          value: <RunbookText runbook={runbook} />,
        },
        links.length > 0 && {
          label: t('operations.failed.outside'),
          value: (
            <ul className="flex flex-wrap gap-x-4">
              {links.map(({ kind, href }) => (
                <li key={kind}>
                  <OutsideLink href={href} text={t(`operations.failed.outside.${kind}`)} />
                </li>
              ))}
            </ul>
          ),
        },
      ]}
    />
  )
}

import type { PlanProblem } from '#contract/console-api/shapes.ts'
import { paths } from '../../addresses/paths.ts'
import { messageText } from '../../i18n/message-text.ts'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { TextLink } from '../../ui/Link.tsx'
import { OPERATION_TYPES } from '../../ui/states.ts'

/** Why something would be refused, with the title of its property. An operation in the way is a link. */
export function PlanProblemText({
  problem,
  title,
}: {
  problem: Pick<PlanProblem, 'message' | 'parameters' | 'property'>
  title?: string | undefined
}) {
  const t = useText()
  const rich = useRichText()
  const { property, parameters } = problem
  const lock = lockOf(parameters)
  return (
    <>
      {property !== undefined && (
        <span className="font-medium" title={property}>
          {title ?? property}
          {t('common.punctuation.colon')}
        </span>
      )}
      {lock === undefined
        ? messageText(problem)
        : rich(`plans.${lock.reason}`, {
            bundle: String(parameters?.['bundle'] ?? ''),
            operation: (
              <TextLink to={paths.operation(lock.operationId)}>
                {t('plans.lock', { type: t(`vocabulary.type.${lock.operationType}`) })}
              </TextLink>
            ),
          })}
    </>
  )
}

/** The operation that locks the installation, if that is why something is refused. */
function lockOf(parameters: PlanProblem['parameters']) {
  const { reason, operationId, operationType: named } = parameters ?? {}
  const operationType = OPERATION_TYPES.find((type) => type === named)
  if (reason !== 'lockedByFailed' && reason !== 'lockedByRunning') return undefined
  if (typeof operationId !== 'string' || operationType === undefined) return undefined
  return { reason, operationId, operationType } as const
}

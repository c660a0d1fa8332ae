import type { OperationDetail } from '#contract/console-api/shapes.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { pausedText } from '../../../../subjects/gate/pause-texts.ts'
import { usePauses } from '../../../../subjects/gate/use-pauses.ts'
import { NextStepText } from '../../../../subjects/operations/NextStepText.tsx'

/** Who acts next on an operation in progress; of one that is paused, with whom to decide that it goes on. */
export function UnfinishedNextStep({ operation }: { operation: OperationDetail }) {
  const t = useText()
  const [pause] = usePauses(operation)
  return (
    <NextStepText
      nextStep={operation.nextStep}
      what={
        pause && t('operations.running.next.paused', { person: pause.by.name, what: pausedText([pause], t) })
      }
    />
  )
}

import { useState } from 'react'
import type { Cause } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast.ts'
import { AssignMenu } from '../people/AssignMenu.tsx'
import { useShell } from '../shell/shell-context.ts'
import { CAUSE_READS } from './CauseActions.tsx'

/** Assigns the selected causes to a person, one after the other; says how many were changed by somebody else in the meantime. */
export function AssignCauses({ causes }: { causes: readonly Cause[] }) {
  const t = useText()
  const { user } = useShell()
  const change = useWrite('PATCH /causes/{causeId}', { invalidates: CAUSE_READS })
  const [isBusy, setBusy] = useState(false)
  const assignTo = async (assignee: string) => {
    setBusy(true)
    let assigned = 0
    let refused: unknown = null
    for (const { causeId, updatedAt, state } of causes) {
      try {
        await change.mutateAsync({
          params: { causeId },
          body: { updatedAt, assignee, ...(state === 'NEW' && { state: 'TAKEN' as const }) },
        })
        assigned++
      } catch (error) {
        refused = error
      }
    }
    setBusy(false)
    if (refused !== null) showToast({ tone: 'error', text: errorView(refused).message })
    if (assigned > 0) showToast({ text: t('operations.cause.assigned', { n: assigned }) })
  }
  return (
    <>
      {user !== null && (
        <Button icon="person" busy={isBusy} onClick={() => void assignTo(user.id)}>
          {t('operations.assignee.me')}
        </Button>
      )}
      <AssignMenu people={[]} except={user?.id} onChoose={(id) => void assignTo(id)} />
    </>
  )
}

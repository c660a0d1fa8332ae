import type { Operation } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { errorView } from '../../i18n/describe-code.ts'
import { useText } from '../../i18n/use-text.ts'
import { AssignMenu } from '../../subjects/people/AssignMenu.tsx'
import { useShell } from '../../subjects/shell/shell-context.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast.ts'

/** Assigns the selected operations to one person. Names how many the person may not assign. */
export function AssignSelected({ operations }: { operations: readonly Operation[] }) {
  const t = useText()
  const { user } = useShell()
  const assign = useWrite('POST /operations/assign', {
    invalidates: ['GET /operations', 'GET /operations/{operationId}'],
  })
  const assignTo = (assignee: string) =>
    assign.mutate(
      { body: { operationIds: operations.map(({ operationId }) => operationId), assignee } },
      {
        onSuccess: ({ assigned, refused, assignee: person }) =>
          showToast({
            tone: refused.length > 0 ? 'warn' : 'ok',
            text:
              refused.length > 0
                ? t('operations.assignee.someAssigned', { n: assigned, refused: refused.length })
                : t('operations.assignee.allAssigned', { n: assigned, person: person?.name ?? '' }),
          }),
        onError: (error) => showToast({ tone: 'error', text: errorView(error).message }),
      },
    )
  return (
    <>
      {user !== null && (
        <Button icon="person" busy={assign.isPending} onClick={() => assignTo(user.id)}>
          {t('operations.assignee.me')}
        </Button>
      )}
      <AssignMenu
        people={operations.map(({ requestedBy }) => requestedBy)}
        except={user?.id}
        onChoose={assignTo}
      />
    </>
  )
}

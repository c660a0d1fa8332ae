import type { SessionEntry } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { useText } from '../../i18n/use-text.ts'
import { showToast } from '../../ui/toast.ts'

/** A session to end, or all sessions of its person. */
export interface Ending {
  session: SessionEntry
  isAll: boolean
}

const LISTS = ['GET /sessions', 'GET /sessions/everyone'] as const

/** Asks for confirmation before sessions end. */
export function EndSessionDialog({
  ending: { session, isAll },
  onClose,
}: {
  ending: Ending
  onClose: () => void
}) {
  const t = useText()
  const end = useWrite('DELETE /sessions/{sessionId}', { invalidates: LISTS })
  const endAll = useWrite('POST /sessions/end', { invalidates: LISTS })
  const { person, issuer, sessionId } = session
  return (
    <ConfirmForm
      danger
      onClose={onClose}
      title={t(isAll ? 'sessions.endAll.title' : 'sessions.end.title', { person: person.name })}
      confirm={t(isAll ? 'sessions.endAll' : 'sessions.end')}
      send={async () => {
        if (isAll) await endAll.mutateAsync({ body: { issuer, personId: person.id } })
        else await end.mutateAsync({ params: { sessionId } })
        showToast({ text: t('sessions.end.done') })
        onClose()
      }}
    >
      <p>{t(isAll ? 'sessions.endAll.text' : 'sessions.end.text')}</p>
    </ConfirmForm>
  )
}

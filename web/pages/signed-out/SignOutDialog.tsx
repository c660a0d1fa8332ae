import { signOut } from '../../api/session.ts'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { useText } from '../../i18n/use-text.ts'

/** Shown if the server did not confirm a sign-out. The person may still be signed in, and can try again. */
export function SignOutDialog({ onClose }: { onClose: () => void }) {
  const t = useText()
  return (
    <ConfirmForm
      title={t('shell.signOut.title')}
      confirm={t('shell.user.signOut')}
      send={signOut}
      onClose={onClose}
    >
      <p>{t('shell.signOut.message')}</p>
    </ConfirmForm>
  )
}

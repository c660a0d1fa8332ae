import { signInAgain, useSession } from '../../api/session.ts'
import { useText } from '../../i18n/use-text.ts'
import { Button } from '../../ui/Button.tsx'
import { showToast } from '../../ui/toast.ts'

/** Whether signing in again solves the failure with this code. */
export const needsSignIn = (code: string | undefined): boolean => code === 'RECENT_SIGN_IN_REQUIRED'

/** Leaves the page to sign in again, once `keep` has stored what the person entered; without that, it says what to do. */
export function SignInAgain({ keep }: { keep: (personId: string) => boolean }) {
  const t = useText()
  const personId = useSession().data?.user.id
  return (
    <Button
      size="sm"
      variant="primary"
      onClick={() => {
        if (personId !== undefined && keep(personId)) signInAgain()
        else showToast({ tone: 'error', text: t('common.signInAgain.notKept') })
      }}
    >
      {t('common.signInAgain')}
    </Button>
  )
}

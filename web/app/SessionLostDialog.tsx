import { useEffect } from 'react'
import { onSignInElsewhere, signInAddress, useSession } from '../api/session.ts'
import { useText } from '../i18n/use-text.ts'
import { Button } from '../ui/Button.tsx'
import { buttonStyle } from '../ui/button-style.ts'
import { Dialog } from '../ui/Dialog.tsx'
import { Icon } from '../ui/Icon.tsx'

/** Shown when the session ends while the page is in use: the person signs in beside the page and continues in it. */
export function SessionLostDialog() {
  const t = useText()
  const session = useSession()
  const { refetch } = session
  useEffect(() => onSignInElsewhere(() => void refetch()), [refetch])
  return (
    <Dialog
      open
      onClose={() => void session.refetch()}
      title={t('shell.sessionLost.title')}
      size="sm"
      footer={
        <>
          <Button busy={session.isFetching} onClick={() => void session.refetch()}>
            {t('shell.sessionLost.continue')}
          </Button>
          <a
            href={signInAddress(location.pathname + location.search + location.hash)}
            target="_blank"
            rel="opener"
            className={buttonStyle({ variant: 'primary' })}
          >
            {t('shell.signedOut.signIn')}
            <Icon name="external" size={14} />
          </a>
        </>
      }
    >
      <p>{t('shell.sessionLost.message')}</p>
    </Dialog>
  )
}

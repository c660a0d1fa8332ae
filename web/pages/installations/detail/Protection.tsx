import { useState } from 'react'
import type { InstallationDetail } from '#contract/console-api/shapes.ts'
import { useMay } from '../../../api/session.ts'
import { useWrite } from '../../../api/write.ts'
import { ConfirmForm } from '../../../forms/dialogs/ConfirmForm.tsx'
import { useText } from '../../../i18n/use-text.ts'
import { needsSignIn, SignInAgain } from '../../../subjects/sign-in/SignInAgain.tsx'
import { WhoAndWhy } from '../../../subjects/people/WhoAndWhy.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Notice } from '../../../ui/Notice.tsx'

const INVALIDATES = ['GET /installations', 'GET /installations/{bundleInstallId}'] as const

/** That the installation is protected from being detached, by whom and why. */
export function ProtectionNotice({ detail: { protection } }: { detail: InstallationDetail }) {
  const t = useText()
  if (protection === undefined) return null
  return (
    <Notice icon="lock" className="mb-4" title={t('installations.protected.title')}>
      <WhoAndWhy {...protection} />
    </Notice>
  )
}

/** Protects an installation, or lifts its protection; for those who could detach it. */
export function ProtectionAction({ detail }: { detail: InstallationDetail }) {
  const t = useText()
  const [isOpen, setOpen] = useState(false)
  const may = useMay('installation:detach', detail.installation)
  const isProtected = detail.protection !== undefined
  if (!may || detail.state === 'DETACHED') return null
  return (
    <>
      <Button variant="quiet" icon={isProtected ? 'unlocked' : 'lock'} onClick={() => setOpen(true)}>
        {t(isProtected ? 'installations.unprotect' : 'installations.protect')}
      </Button>
      {isOpen && <ProtectionDialog detail={detail} onClose={() => setOpen(false)} />}
    </>
  )
}

function ProtectionDialog({ detail, onClose }: { detail: InstallationDetail; onClose: () => void }) {
  const t = useText()
  // what the person decided on, also after the page has read the change
  const [action] = useState(detail.protection === undefined ? 'protect' : 'unprotect')
  const name = action === 'protect' ? 'protect' : 'unprotect'
  const protect = useWrite('POST /installations/{bundleInstallId}/protect', { invalidates: INVALIDATES })
  const unprotect = useWrite('POST /installations/{bundleInstallId}/unprotect', { invalidates: INVALIDATES })
  const { bundleInstallId, bundle } = detail.installation
  return (
    <ConfirmForm
      onClose={onClose}
      title={t(`installations.${name}.title`, { bundle: detail.title ?? bundle.bundleId })}
      confirm={t(`installations.${name}.confirm`)}
      reason={{ label: t('common.why'), required: true }}
      errorActions={(code) => needsSignIn(code) && <SignInAgain keep={() => true} />}
      send={async ({ reason }) => {
        await (name === 'protect' ? protect : unprotect).mutateAsync({
          params: { bundleInstallId },
          body: { reason },
        })
        onClose()
      }}
    >
      <p>{t(`installations.${name}.text`)}</p>
    </ConfirmForm>
  )
}

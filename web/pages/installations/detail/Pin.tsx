import { useState } from 'react'
import type { InstallationDetail } from '#contract/console-api/shapes.ts'
import { useMay } from '../../../api/session.ts'
import { useWrite } from '../../../api/write.ts'
import { ConfirmForm } from '../../../forms/dialogs/ConfirmForm.tsx'
import { useText } from '../../../i18n/use-text.ts'
import { WhoAndWhy } from '../../../subjects/people/WhoAndWhy.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Notice } from '../../../ui/Notice.tsx'
import { TextInput } from '../../../ui/TextInput.tsx'

const INVALIDATES = ['GET /installations', 'GET /installations/{bundleInstallId}'] as const

/** To which versions the installation is pinned, by whom and why; who may upgrade it can remove the pin. */
export function PinNotice({ detail }: { detail: InstallationDetail }) {
  const t = useText()
  const [isOpen, setOpen] = useState(false)
  const may = useMay('installation:upgrade', detail.installation)
  const { pin, installation, title } = detail
  const unpin = useWrite('POST /installations/{bundleInstallId}/unpin', { invalidates: INVALIDATES })
  const { bundleInstallId, bundle } = installation
  return (
    <>
      {pin !== undefined && (
        <Notice
          icon="bookmark"
          className="mb-4"
          title={t('installations.pinned.title', { versions: pin.versions })}
          actions={
            may && (
              <Button variant="quiet" onClick={() => setOpen(true)}>
                {t('installations.unpin')}
              </Button>
            )
          }
        >
          <WhoAndWhy {...pin} />
        </Notice>
      )}
      {/* stays mounted until it is answered: the pin may be gone by then */}
      {isOpen && (
        <ConfirmForm
          onClose={() => setOpen(false)}
          title={t('installations.unpin.title', { bundle: title ?? bundle.bundleId })}
          confirm={t('installations.unpin')}
          reason={{ label: t('common.why'), required: true }}
          send={async ({ reason }) => {
            await unpin.mutateAsync({ params: { bundleInstallId }, body: { reason } })
            setOpen(false)
          }}
        >
          <p>{t('installations.unpin.text')}</p>
        </ConfirmForm>
      )}
    </>
  )
}

/** Pins an installation that is not pinned; for those who could upgrade it. */
export function PinAction({ detail }: { detail: InstallationDetail }) {
  const t = useText()
  const [isOpen, setOpen] = useState(false)
  const may = useMay('installation:upgrade', detail.installation)
  if (!may || detail.state === 'DETACHED') return null
  return (
    <>
      {detail.pin === undefined && (
        <Button variant="quiet" icon="bookmark" onClick={() => setOpen(true)}>
          {t('installations.pin')}
        </Button>
      )}
      {isOpen && <PinDialog detail={detail} onClose={() => setOpen(false)} />}
    </>
  )
}

function PinDialog({ detail, onClose }: { detail: InstallationDetail; onClose: () => void }) {
  const t = useText()
  const [versions, setVersions] = useState(detail.version ?? '')
  const pin = useWrite('POST /installations/{bundleInstallId}/pin', { invalidates: INVALIDATES })
  const { bundleInstallId, bundle } = detail.installation
  return (
    <ConfirmForm
      onClose={onClose}
      title={t('installations.pin.title', { bundle: detail.title ?? bundle.bundleId })}
      confirm={t('installations.pin')}
      reason={{ label: t('common.why'), required: true }}
      blockedReason={versions === '' ? t('installations.pin.missing') : null}
      send={async ({ reason }) => {
        await pin.mutateAsync({ params: { bundleInstallId }, body: { versions, reason } })
        onClose()
      }}
      plan={
        <Field label={t('installations.pin.versions')} hint={t('installations.pin.hint')}>
          {(wiring) => (
            <TextInput
              {...wiring}
              code
              value={versions}
              onChange={({ target }) => setVersions(target.value.trim())}
            />
          )}
        </Field>
      }
    >
      <p>{t('installations.pin.text')}</p>
    </ConfirmForm>
  )
}

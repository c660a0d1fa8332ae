import { useState } from 'react'
import type { Pause } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { useText } from '../../i18n/use-text.ts'

type Subject = Pause['of']

const INVALIDATES = {
  invalidates: [
    'GET /pauses',
    'GET /operations',
    'GET /operations/{operationId}',
    'GET /installations',
    'GET /installations/{bundleInstallId}',
    'GET /plugins',
    'GET /plugins/{pluginId}',
  ],
} as const

/**
 * Asks why to pause or resume something.
 *
 * @param name What it is called.
 */
export function PauseDialog({
  of,
  name,
  isPaused,
  onClose,
}: {
  of: Subject
  name: string
  isPaused: boolean
  onClose: () => void
}) {
  const t = useText()
  // what the person decided on, also after the page has read the change
  const [action] = useState(isPaused ? 'resume' : 'pause')
  const isPausing = action === 'pause'
  const send = useSend(isPausing)
  return (
    <ConfirmForm
      onClose={onClose}
      title={t(isPausing ? `pauses.pause.${of.kind}.title` : 'pauses.resume.title', { name })}
      confirm={t(isPausing ? `pauses.pause.${of.kind}` : 'pauses.resume')}
      reason={{ label: t('common.why'), required: true }}
      send={async ({ reason }) => {
        await send(of, reason)
        onClose()
      }}
    >
      <p>{t(isPausing ? `pauses.pause.${of.kind}.text` : 'pauses.resume.text')}</p>
    </ConfirmForm>
  )
}

function useSend(isPausing: boolean): (of: Subject, reason: string) => Promise<unknown> {
  const pauseOperation = useWrite('POST /operations/{operationId}/pause', INVALIDATES)
  const resumeOperation = useWrite('POST /operations/{operationId}/resume', INVALIDATES)
  const pauseScope = useWrite(
    'POST /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/pause',
    INVALIDATES,
  )
  const resumeScope = useWrite(
    'POST /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/resume',
    INVALIDATES,
  )
  const pausePlugin = useWrite('POST /plugins/{pluginId}/pause', INVALIDATES)
  const resumePlugin = useWrite('POST /plugins/{pluginId}/resume', INVALIDATES)
  return (of, reason) => {
    const body = { reason }
    switch (of.kind) {
      case 'OPERATION': {
        const { operationId } = of
        return (isPausing ? pauseOperation : resumeOperation).mutateAsync({ params: { operationId }, body })
      }
      case 'SCOPE':
        return (isPausing ? pauseScope : resumeScope).mutateAsync({ params: of.scope, body })
      case 'PLUGIN': {
        const { pluginId } = of
        return (isPausing ? pausePlugin : resumePlugin).mutateAsync({ params: { pluginId }, body })
      }
    }
  }
}

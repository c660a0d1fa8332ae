import { useCallback, useState } from 'react'
import type { Plugin } from '#contract/console-api/shapes.ts'
import { useWrite } from '../../api/write.ts'
import { keepAction, useInterruptedAction } from '../../subjects/sign-in/interrupted-action.ts'
import { needsSignIn, SignInAgain } from '../../subjects/sign-in/SignInAgain.tsx'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { useRichText, useText } from '../../i18n/use-text.ts'
import { Badge, type BadgeLook } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { EnabledBadge } from '../../ui/StateBadge.tsx'
import { Time } from '../../ui/Time.tsx'
import { showToast } from '../../ui/toast.ts'
import { Tooltip } from '../../ui/Tooltip.tsx'

/** Whether a plugin is retired, paused, enabled or disabled; a tooltip explains what that means. */
export function PluginBadge({
  plugin: { enabled, retired, paused },
  look = 'plain',
}: {
  plugin: Pick<Plugin, 'enabled' | 'retired' | 'paused'>
  look?: BadgeLook
}) {
  const t = useText()
  if (retired === null && paused) {
    return (
      <Tooltip text={t('plugins.paused.meaning')}>
        {(target) => (
          <Badge {...target} tone="doubt" icon="paused" look={look}>
            {t('pauses.paused')}
          </Badge>
        )}
      </Tooltip>
    )
  }
  if (retired === null) {
    return (
      <EnabledBadge
        enabled={enabled}
        look={look}
        word={t(enabled ? 'plugins.enabled' : 'plugins.disabled')}
        meaning={t(enabled ? 'plugins.enabled.meaning' : 'plugins.disabled.meaning')}
      />
    )
  }
  return (
    <Tooltip text={t('plugins.retired.meaning')}>
      {(target) => (
        <Badge {...target} tone="doubt" icon="detached" look={look}>
          {t('plugins.retired')}
        </Badge>
      )}
    </Tooltip>
  )
}

/** Who retired a plugin, when and why, and what that means; nothing unless it is retired. */
export function RetiredNotice({ plugin: { retired } }: { plugin: Pick<Plugin, 'retired'> }) {
  const t = useText()
  const rich = useRichText()
  if (retired === null) return null
  return (
    <Notice
      tone="warn"
      icon="detached"
      title={rich('plugins.retired.notice', { time: <Time at={retired.at} />, person: retired.by.name })}
    >
      <p className="wrap-anywhere">{retired.reason}</p>
      <p className="mt-1 text-muted">{t('plugins.retired.meaning')}</p>
    </Notice>
  )
}

/** Retires a plugin that is gone for good, or reinstates it. */
export function RetirementButton({ plugin, may }: { plugin: Plugin; may: boolean }) {
  const t = useText()
  /** The reason that the person had typed before they signed in again; null while the dialog is closed. */
  const [reason, setReason] = useState<string | null>(null)
  const isRetired = plugin.retired !== null
  useInterruptedAction(
    retirementOf(plugin),
    useCallback((action) => setReason(action.reason), []),
  )
  return (
    <>
      <Button
        variant={isRetired ? 'secondary' : 'dangerQuiet'}
        disabledReason={!may && t('plugins.reason.permission')}
        onClick={() => setReason('')}
      >
        {t(isRetired ? 'plugins.reinstate' : 'plugins.retire')}
      </Button>
      {reason !== null && (
        <RetirementDialog plugin={plugin} initialReason={reason} onClose={() => setReason(null)} />
      )}
    </>
  )
}

/** Names the action of a plugin's page, to resume it after the person has signed in again. */
const retirementOf = ({ pluginId, retired }: Plugin): string =>
  `${retired === null ? 'retire' : 'reinstate'}.${pluginId}`

function RetirementDialog({
  plugin,
  initialReason,
  onClose,
}: {
  plugin: Plugin
  initialReason: string
  onClose: () => void
}) {
  const t = useText()
  // an event or another person may change it while the dialog is open
  const [seen] = useState(plugin)
  const action = seen.retired === null ? 'retire' : 'reinstate'
  const invalidates = { invalidates: ['GET /plugins', 'GET /plugins/{pluginId}'] } as const
  const retire = useWrite('POST /plugins/{pluginId}/retire', invalidates)
  const reinstate = useWrite('POST /plugins/{pluginId}/reinstate', invalidates)
  const { pluginId, title, updatedAt } = seen
  return (
    <ConfirmForm
      danger={action === 'retire'}
      onClose={onClose}
      title={t(`plugins.${action}.title`, { plugin: title })}
      confirm={t(`plugins.${action}`)}
      reason={{ label: t(`plugins.${action}.reason`), required: true }}
      {...(action === 'retire' && { word: pluginId })}
      initialReason={initialReason}
      errorActions={(code, reason) =>
        needsSignIn(code) && (
          <SignInAgain
            keep={(personId) => keepAction(personId, retirementOf(seen), { target: pluginId, reason })}
          />
        )
      }
      send={async ({ reason }) => {
        const request = { params: { pluginId }, body: { reason, updatedAt } }
        await (action === 'retire' ? retire : reinstate).mutateAsync(request)
        showToast({ text: t(`plugins.${action}.done`, { plugin: title }) })
        onClose()
      }}
    >
      {initialReason !== '' && <Notice icon="info">{t('common.signInAgain.resumed')}</Notice>}
      <p>{t(`plugins.${action}.about`)}</p>
      {action === 'retire' && (
        <ul className="list-disc space-y-1 pl-5">
          <li>{t('plugins.retire.detach')}</li>
          <li>{t('plugins.retire.others')}</li>
          <li>{t('plugins.retire.reads')}</li>
          <li>{t('plugins.retire.undo')}</li>
        </ul>
      )}
    </ConfirmForm>
  )
}

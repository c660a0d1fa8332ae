import { useState } from 'react'
import type { BundleVersion } from '#contract/console-api/shapes.ts'
import { paths } from '../../addresses/paths.ts'
import { useMay } from '../../api/session.ts'
import { useWrite } from '../../api/write.ts'
import { ConfirmForm } from '../../forms/dialogs/ConfirmForm.tsx'
import { useText } from '../../i18n/use-text.ts'
import { WhoAndWhy } from '../../subjects/people/WhoAndWhy.tsx'
import { Button } from '../../ui/Button.tsx'
import { TextLink } from '../../ui/Link.tsx'
import { Menu, MenuItem } from '../../ui/Menu.tsx'
import { Notice } from '../../ui/Notice.tsx'

const INVALIDATES = [
  'GET /bundles',
  'GET /bundles/{environmentKey}/{bundleId}/versions',
  'GET /installations',
  'GET /installations/{bundleInstallId}',
  'GET /installed-versions',
] as const

/** That a version is deprecated or recalled, by whom and why, with the installations that have it. */
export function StandingNotice({ entry }: { entry: BundleVersion }) {
  const t = useText()
  const { standing, bundle, version } = entry
  if (standing === undefined) return null
  return (
    <Notice
      tone={standing.kind === 'RECALLED' ? 'error' : 'warn'}
      className="mb-4"
      title={t(`catalog.standing.${standing.kind}`)}
      actions={
        <TextLink to={paths.installations({ bundleId: bundle.bundleId, version })}>
          {t('catalog.standing.installed')}
        </TextLink>
      }
    >
      <WhoAndWhy {...standing} reason={standing.message} />
    </Notice>
  )
}

type Action = 'deprecate' | 'recall' | 'reinstate'

const ICON = { deprecate: 'warning', recall: 'failed', reinstate: 'undo' } as const

/** Deprecates, recalls or reinstates a version; for those who could publish one. */
export function StandingActions({ entry }: { entry: BundleVersion }) {
  const t = useText()
  const [action, setAction] = useState<Action | null>(null)
  const may = useMay('catalog:write', { environmentKey: entry.bundle.environmentKey })
  if (!may) return null
  const actions: Action[] =
    entry.standing === undefined
      ? ['deprecate', 'recall']
      : entry.standing.kind === 'DEPRECATED'
        ? ['recall', 'reinstate']
        : ['reinstate']
  return (
    <>
      <Menu
        label={t('catalog.standing.change')}
        renderTrigger={(props) => <Button {...props} icon="more" label={t('catalog.standing.change')} />}
      >
        {actions.map((one) => (
          <MenuItem key={one} icon={ICON[one]} danger={one === 'recall'} onSelect={() => setAction(one)}>
            {t(`catalog.standing.${one}`)}
          </MenuItem>
        ))}
      </Menu>
      {action !== null && <StandingDialog entry={entry} action={action} onClose={() => setAction(null)} />}
    </>
  )
}

function StandingDialog({
  entry: { bundle, version },
  action,
  onClose,
}: {
  entry: BundleVersion
  action: Action
  onClose: () => void
}) {
  const t = useText()
  const options = { invalidates: INVALIDATES }
  const deprecate = useWrite(
    'POST /bundles/{environmentKey}/{bundleId}/versions/{version}/deprecate',
    options,
  )
  const recall = useWrite('POST /bundles/{environmentKey}/{bundleId}/versions/{version}/recall', options)
  const reinstate = useWrite(
    'POST /bundles/{environmentKey}/{bundleId}/versions/{version}/reinstate',
    options,
  )
  const params = { ...bundle, version }
  const isReinstating = action === 'reinstate'
  return (
    <ConfirmForm
      danger={action === 'recall'}
      onClose={onClose}
      title={t(`catalog.standing.${action}.title`, { version })}
      confirm={t(`catalog.standing.${action}`)}
      reason={{
        label: t(isReinstating ? 'common.why' : 'catalog.standing.message'),
        required: true,
      }}
      send={async ({ reason }) => {
        if (isReinstating) await reinstate.mutateAsync({ params, body: { reason } })
        else
          await (action === 'recall' ? recall : deprecate).mutateAsync({ params, body: { message: reason } })
        onClose()
      }}
    >
      <p>{t(`catalog.standing.${action}.text`)}</p>
    </ConfirmForm>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { recoveryCall } from '#contract/console-api/pages/overview.ts'
import type { Recovery } from '#contract/console-api/shapes.ts'
import { paths } from '../addresses/paths.ts'
import { apiQuery } from '../api/query.ts'
import { storeChoice, storedChoice } from '../base/stored-choice.ts'
import { formatLocalTime } from '../i18n/format.ts'
import { useText, type Translate } from '../i18n/use-text.ts'
import { useShell } from '../subjects/shell/shell-context.ts'
import { Button } from '../ui/Button.tsx'
import { LinkButton } from '../ui/Link.tsx'
import { Notice } from '../ui/Notice.tsx'

const DISMISSED = 'recovery-dismissed'
/** Somebody who comes later works on what there is now. */
const SHOWN_MS = 30 * 86_400_000

/** Tells operators and support, once each in every browser, that the database went back in time or moved. */
export function RecoveryNotice() {
  const t = useText()
  const { user, can } = useShell()
  const { data } = useQuery({ ...apiQuery('GET /recovery', recoveryCall), enabled: user !== null })
  const [dismissed, setDismissed] = useState(() => storedChoice(DISMISSED))
  const recovery = data?.recovery ?? null
  const [now] = useState(() => Date.now())
  if (recovery === null || !can('operation:retry')) return null
  if (dismissed === recovery.at || now - Date.parse(recovery.at) > SHOWN_MS) return null
  const dismiss = () => {
    storeChoice(DISMISSED, recovery.at)
    setDismissed(recovery.at)
  }
  return (
    <Notice
      tone="warn"
      live
      title={titleOf(recovery, t)}
      className="mb-4 print:hidden"
      actions={
        <>
          {recovery.operationsInDoubt > 0 && (
            <LinkButton to={paths.operations({ inDoubt: 'open' })} size="sm" icon="operations">
              {t('shell.recovery.show')}
            </LinkButton>
          )}
          <Button size="sm" icon="close" onClick={dismiss}>
            {t('shell.recovery.dismiss')}
          </Button>
        </>
      }
    >
      {t(`shell.recovery.lost.${recovery.because}`)}{' '}
      {recovery.operationsInDoubt === 0
        ? t('shell.recovery.none')
        : t('shell.recovery.inDoubt', { n: recovery.operationsInDoubt })}
    </Notice>
  )
}

function titleOf({ because, backup, at }: Recovery, t: Translate): string {
  const time = formatLocalTime(Date.parse(at))
  if (backup !== null)
    return t('shell.recovery.restored', { backup: formatLocalTime(Date.parse(backup.at)), time })
  return t(because === 'COMMAND' ? 'shell.recovery.command' : 'shell.recovery.moved', { time })
}

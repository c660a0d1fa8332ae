import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { restrictionsCall } from '#contract/console-api/pages/freezes.ts'
import type { ChangeKind } from '#contract/console-api/vocabulary.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { messageText } from '../../i18n/message-text.ts'
import { useText } from '../../i18n/use-text.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Notice } from '../../ui/Notice.tsx'

const NOWHERE: Scope = { environmentKey: '-', applicationRuntimeId: '-', workspaceId: 0 }

/** What nothing can be done about but to wait, or to override it. What needs a review can be requested. */
const CODES: ReadonlySet<string> = new Set(['CHANGES_FROZEN'])
export const isOfGate = ({ errorCode }: { errorCode: string }): boolean => CODES.has(errorCode)

/** What refuses a change now, whatever it changes, and what the person can do about it. */
export interface Gate {
  /** Why it is refused, to be shown before anybody types; null if it is admitted. */
  notice: ReactNode
  /** The same with the choice to override it, for those who may. */
  choice: ReactNode
  isOverriding: boolean
  /** Part of the body of the write. */
  override: { override?: true }
  /** Why nothing can be sent; null if it can. */
  blocked: string | null
}

/**
 * The gate of a scope for changes of one kind, or of any of several.
 *
 * @param scope Null while it is not chosen.
 * @param isRecovery The change gets a failed operation out of the way.
 */
export function useGate(
  scope: Scope | null,
  kinds: ChangeKind | readonly ChangeKind[],
  isRecovery = false,
): Gate {
  const t = useText()
  const [isChosen, choose] = useState(false)
  const query = useQuery({
    ...apiQuery(
      'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/restrictions',
      restrictionsCall(scope ?? NOWHERE),
    ),
    enabled: scope !== null,
  })
  const mayOverride = useMay('change:override', scope ?? 'anywhere')
  const found = (query.data?.items ?? []).filter(
    (restriction) =>
      isOfGate(restriction) &&
      [kinds].flat().includes(restriction.kind) &&
      (!isRecovery || restriction.blocksRecovery),
  )
  const messages = [...new Set(found.map((restriction) => messageText(restriction)))]
  if (messages.length === 0)
    return { notice: null, choice: null, isOverriding: false, override: {}, blocked: null }
  const isOverriding = isChosen && mayOverride
  const lines = messages.map((message) => <p key={message}>{message}</p>)
  return {
    notice: (
      <Notice tone="warn" icon="lock" live>
        {lines}
      </Notice>
    ),
    choice: (
      <Notice tone="warn" icon="lock" live>
        {lines}
        {mayOverride && (
          <>
            <Checkbox checked={isChosen} onChange={({ target }) => choose(target.checked)}>
              <span className="font-medium">{t('freezes.override')}</span>
            </Checkbox>
            <p className="text-xs text-muted">{t('freezes.override.about')}</p>
          </>
        )}
      </Notice>
    ),
    isOverriding,
    override: isOverriding ? { override: true } : {},
    blocked: isOverriding ? null : t(mayOverride ? 'freezes.blocked.override' : 'freezes.blocked'),
  }
}

import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { restrictionsCall } from '#contract/console-api/pages/freezes.ts'
import type { ChangeKind } from '#contract/console-api/vocabulary.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { apiQuery } from '../../api/query.ts'
import { useMay } from '../../api/session.ts'
import { messageText } from '../../i18n/message-text.ts'
import { useText } from '../../i18n/use-text.ts'
import { needsReview } from '../change-requests/use-request-review.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Notice } from '../../ui/Notice.tsx'

const NOWHERE: Scope = { environmentKey: '-', applicationRuntimeId: '-', workspaceId: 0 }

/** What nothing can be done about but to wait, or to override it. What needs a review can be requested. */
const CODES: ReadonlySet<string> = new Set(['CHANGES_FROZEN'])
export const isOfGate = ({ errorCode }: { errorCode: string }): boolean => CODES.has(errorCode)

/**
 * What refuses a change now, whatever it changes, and what the person can do about it. A policy alone blocks
 * nothing: a review can be requested.
 */
export interface Gate {
  /** Why it is frozen, to be shown before anybody types; null if it is not. */
  notice: ReactNode
  /** The same with the choice to override it, for those who may. */
  choice: ReactNode
  /** Whether `choice` says that an approval is needed. */
  saysReview: boolean
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
 * @param own What else refuses this one change, and can be overridden too.
 */
export function useGate(
  scope: Scope | null,
  kinds: ChangeKind | readonly ChangeKind[],
  isRecovery = false,
  own: string | null = null,
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
  const isMeant = ({ kind }: { kind: ChangeKind }) => [kinds].flat().includes(kind)
  const restrictions = (query.data?.items ?? []).filter(isMeant)
  const frozen = restrictions.filter(
    (restriction) => isOfGate(restriction) && (!isRecovery || restriction.blocksRecovery),
  )
  // no retry needs an approval; a takeover is a change of its own
  const guarded = restrictions.filter(
    (restriction) => needsReview([restriction]) && (!isRecovery || isMeant({ kind: 'TAKEOVER' })),
  )
  const isRefused = frozen.length > 0 || own !== null
  // a review can be requested, so that only those who may do without see the policy here
  if (!isRefused && (guarded.length === 0 || !mayOverride))
    return {
      notice: null,
      choice: null,
      saysReview: false,
      isOverriding: false,
      override: {},
      blocked: null,
    }
  const linesOf = (shown: typeof restrictions) =>
    [...new Set(shown.map((restriction) => messageText(restriction)))].map((message) => (
      <p key={message}>{message}</p>
    ))
  const isOverriding = isChosen && mayOverride
  return {
    notice:
      frozen.length === 0 ? null : (
        <Notice tone="warn" icon="lock" live>
          {linesOf(frozen)}
        </Notice>
      ),
    choice: (
      <Notice tone={isRefused ? 'warn' : 'info'} icon="lock" live>
        {own !== null && <p>{own}</p>}
        {linesOf(mayOverride ? [...frozen, ...guarded] : frozen)}
        {mayOverride && <OverrideChoice isChosen={isChosen} onChoose={choose} />}
      </Notice>
    ),
    saysReview: mayOverride && guarded.length > 0,
    isOverriding,
    override: isOverriding ? { override: true } : {},
    blocked:
      isOverriding || !isRefused
        ? null
        : frozen.length > 0
          ? t(mayOverride ? 'freezes.blocked.override' : 'freezes.blocked')
          : t(mayOverride ? 'freezes.refused.override' : 'freezes.refused'),
  }
}

/** The choice of a person who may make a change in spite of what refuses it. */
export function OverrideChoice({
  isChosen,
  onChoose,
}: {
  isChosen: boolean
  onChoose: (isChosen: boolean) => void
}) {
  const t = useText()
  return (
    <>
      <Checkbox checked={isChosen} onChange={({ target }) => onChoose(target.checked)}>
        <span className="font-medium">{t('freezes.override')}</span>
      </Checkbox>
      <p className="text-xs text-muted">{t('freezes.override.about')}</p>
    </>
  )
}

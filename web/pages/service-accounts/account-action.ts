import type { ServiceAccount, ServiceAccountToken } from '#contract/console-api/shapes.ts'
import type { InterruptedAction } from '../../subjects/sign-in/interrupted-action.ts'

/** Names the page in the storage of actions that a new sign-in interrupted. */
export const SERVICE_ACCOUNTS = 'service-accounts'

/** What a person does with service accounts. Each needs a recent sign-in. */
export type AccountAction =
  | { kind: 'create' }
  | { kind: 'roles'; account: ServiceAccount }
  | { kind: 'delete' | 'token'; account: ServiceAccount }
  | { kind: 'revoke'; account: ServiceAccount; token: ServiceAccountToken }

/** The action as the target of an interrupted one. */
export function targetOf(action: AccountAction): string {
  const ids =
    action.kind === 'create'
      ? []
      : [action.account.accountId, ...(action.kind === 'revoke' ? [action.token.tokenId] : [])]
  return [action.kind, ...ids].join('/')
}

/** The interrupted action; null if its account or token no longer exists. */
export function actionOf(
  { target }: InterruptedAction,
  accounts: readonly ServiceAccount[],
): AccountAction | null {
  const [kind, accountId, tokenId] = target.split('/')
  if (kind === 'create') return { kind }
  const account = accounts.find((one) => one.accountId === accountId)
  if (account === undefined) return null
  if (kind === 'roles') return { kind, account }
  if (kind === 'delete' || kind === 'token') return { kind, account }
  const token = account.tokens.find((one) => one.tokenId === tokenId)
  return kind === 'revoke' && token?.revokedAt === null ? { kind, account, token } : null
}

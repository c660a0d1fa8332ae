import type { Claim } from '#contract/console-api/shapes.ts'
import type { PlainTextKey } from '../../../i18n/use-text.ts'
import type { InstallationState } from '../../../ui/states.ts'

type Standing = { state: InstallationState; claim: Pick<Claim, 'state'> | null }

/** Why an action that needs an ACTIVE installation without a claim is unavailable; null if it is available. */
export function unavailableReason({ state, claim }: Standing): PlainTextKey | null {
  if (state === 'DETACHED') return 'installations.reason.detached'
  if (claim !== null)
    return claim.state === 'FAILED' ? 'installations.reason.failed' : 'installations.reason.locked'
  return state === 'ACTIVE' ? null : 'installations.reason.notInstalled'
}

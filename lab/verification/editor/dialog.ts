import type { SeededRandom } from '../seeded-random.ts'
import type { Colleague } from './colleague.ts'
import { InvariantViolation } from './model.ts'
import type { Tab } from './tab.ts'

export const CONFLICT = 'Someone else saved first'
const REVIEW = 'Review changes'
export const RESPONSE_MS = 30_000
export const POLL_MS = 25
/** For a control that may disappear before it is reached. */
export const CLICK_TIMEOUT_MS = 10_000

/** What a step in the review needs besides the page. */
export interface ReviewContext {
  random: SeededRandom
  colleague: Colleague
  /** Lets the colleague save these properties. Resolves, with a description, when they are saved. */
  saveAsColleague: (properties: readonly string[]) => Promise<string>
  note: (text: string) => void
}

/** Waits until the dialog over the form has loaded. */
export async function dialogState(tab: Tab): Promise<'closed' | 'conflict' | 'review'> {
  const end = performance.now() + RESPONSE_MS
  for (;;) {
    const { dialog, changes } = await tab.view()
    const isBusy = await tab.page.locator('dialog[open] [aria-busy=true]').count()
    if (dialog === CONFLICT && isBusy === 0) return 'conflict'
    if (dialog === REVIEW && isBusy === 0) return 'review'
    if (dialog === null && changes === 0) return 'closed'
    if (performance.now() > end)
      throw new InvariantViolation('the review opens', `it is ${dialog ?? 'closed'}, with ${changes} changes`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** Whether an action succeeds before its timeout; a dialog may change before the action reaches it. */
export const succeeds = (action: Promise<unknown>): Promise<boolean> =>
  action.then(
    () => true,
    () => false,
  )

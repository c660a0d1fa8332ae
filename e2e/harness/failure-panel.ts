import type { Locator, Page } from '@playwright/test'
import { PLUGIN } from './plugin-registration.ts'
import { expect } from './test.ts'

/** What the first screen of a failed operation says. */
export interface FailureAnswers {
  title: string | RegExp
  /** What it says besides: the cause, the effect, limits, and how far the operation came. */
  says: readonly (string | RegExp)[]
  neverSays?: readonly string[]
  isUsedUp?: true
  /** The result of the last attempt; the details of that attempt say what it means. */
  attempt?: string
  next: string
}

export const NEVER_RECEIVED = 'The plugin never received this call.'
export const UNKNOWN = `It is not known whether ${PLUGIN} acted.`

/** Why the operation failed, as it is shown in English. */
export const panelOf = (page: Page): Locator => page.getByRole('region', { name: 'Why it failed' })

/** What the panel answers to a question. */
export const answerOf = (page: Page, label: string): Locator =>
  panelOf(page).locator('dt', { hasText: label }).locator('xpath=following-sibling::dd')

/** Opens the operation as it is shown in English, and expects these answers. */
export async function expectAnswers(page: Page, operationId: string, failure: FailureAnswers): Promise<void> {
  await page.goto(`/operations/${operationId}`)
  const panel = panelOf(page)
  await expect(panel.getByRole('heading', { name: failure.title })).toBeVisible()
  const answer = async (label: string) => (await answerOf(page, label).innerText()).trim()
  expect(await answer('Where')).toContain(`${PLUGIN} in `)
  expect(await answer('Still in progress?')).toMatch(
    failure.isUsedUp
      ? 'No. All 3 attempts of run 1 were used; nothing is scheduled.'
      : 'nothing is scheduled',
  )
  // an operation that the response names loads after the panel
  await expect.poll(() => answer('Next step')).toContain(failure.next)
  if (failure.next.startsWith('Plugin owner')) expect(await answer('Next step')).toContain('Integrations')
  expect(await answer('What to do')).not.toBe('')
  // the trace of a refused write loads after the panel
  for (const said of failure.says) await expect.poll(() => panel.innerText()).toMatch(said)
  const text = await panel.innerText()
  for (const unsaid of failure.neverSays ?? []) expect(text).not.toContain(unsaid)
  const main = page.getByRole('main')
  if (failure.attempt !== undefined)
    await expect(main.getByRole('heading', { name: /^Attempt \d/ })).toContainText(failure.attempt)
  // what one part of the page knows, no other part doubts
  if (/never received this call|call was rejected before/.test(text))
    expect(await main.innerText()).not.toMatch(/know whether|not known whether/)
}

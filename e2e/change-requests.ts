import type { Locator, Page } from '@playwright/test'
import type { Scope } from '#contract/protocol/scope.ts'
import type { ChangeKind } from '#contract/runtime-api/vocabulary.ts'
import { platform } from '../demo/people.ts'
import type { System } from './harness/system.ts'
import { field, review } from './vocabulary.ts'

/** Lets an environment require one approval for changes of this kind. */
export async function requireApproval(
  system: System,
  environmentKey: string,
  kind: ChangeKind,
): Promise<void> {
  const body = { requiredFor: [kind], approvals: 1, updatedAt: null }
  const params = { environmentKey }
  await system.call(platform, 'PUT /change-policies/{environmentKey}', { params, body }, crypto.randomUUID())
}

/** A scope of an environment that requires one approval for a save. */
export async function guardedScope(system: System, environmentKey: string): Promise<Scope> {
  const scope = { ...system.newScope(), environmentKey }
  await system.install(scope, 'crm-suite', '1.0.0')
  await requireApproval(system, environmentKey, 'CONFIGURE')
  return scope
}

/** The state of the request on its page. */
export const state = (page: Page): Locator =>
  page
    .getByRole('main')
    .getByText(/^(Draft|Open|Conflict|Approved|Scheduled|Being applied|Applied)$/)
    .first()

export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click()

export const confirm = (page: Page, name: string): Promise<void> =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

/** Enters values in the editor and requests their review; returns the path of the request. */
export async function requestReview(author: Page, values: Record<string, string>): Promise<string> {
  for (const [name, value] of Object.entries(values)) await field(author, name).fill(value)
  await review(author)
  await confirm(author, 'Request review')
  // the page of the scope shows the state of the request too
  await author.waitForURL(/change-requests/)
  return new URL(author.url()).pathname
}

/** Approves the request of the page. */
export async function approve(page: Page): Promise<void> {
  await press(page, 'Approve')
  await confirm(page, 'Approve')
}

/** Schedules the request of the page, between so many hours from now. */
export async function schedule(page: Page, from: number, to: number): Promise<void> {
  await press(page, 'More')
  await page.getByRole('menuitem', { name: 'Schedule' }).click()
  const times = page.getByRole('dialog', { name: 'Schedule change request' })
  await times.getByLabel('Not before').fill(await localTime(page, from))
  await times.getByLabel('Not after').fill(await localTime(page, to))
  await times.getByRole('button', { name: 'Schedule', exact: true }).click()
}

/** So many hours from now, as the control of a time takes it. */
const localTime = (page: Page, hours: number): Promise<string> =>
  page.evaluate((ahead) => {
    const at = Date.now() + ahead * 3_600_000
    return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  }, hours)

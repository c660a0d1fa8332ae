import { expect } from '@playwright/test'
import type { Locator, Page } from '@playwright/test'
import type { Scope } from '#contract/protocol/scope.ts'

/** Resources of the bundle crm-suite. */
export const MAIL = 'production/crm-suite/MODULE/crm-mail'
export const CORE = 'production/crm-suite/MODULE/crm-core'

/** The path of a scope's configuration page, or of one of its resources on it. */
export function configurationPath(
  { environmentKey, applicationRuntimeId, workspaceId }: Scope,
  resource?: string,
): string {
  const path = `/scopes/${environmentKey}/${applicationRuntimeId}/${workspaceId}/configuration`
  return resource === undefined ? path : `${path}?resource=${encodeURIComponent(resource)}`
}

/** Whether a text that shows a scope shows one of this workspace, and not of one whose number begins like it. */
export const isInWorkspace = (text: string, workspaceId: number): boolean =>
  new RegExp(`/${workspaceId}(?!\\d)`).test(text)

/** Waits until a page's heading is visible and nothing is loading. */
export async function expectPage(page: Page, heading: string | RegExp): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
  await expectSettled(page)
}

/** Waits until a page, and any dialog over it, has finished loading. */
export async function expectSettled(page: Page): Promise<void> {
  await expect(page.getByRole('heading').first()).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
}

/** The form field with this title. */
export const field = (page: Page, title: string): Locator => page.getByRole('textbox', { name: title })

/** Opens the review of the unsaved changes. */
export async function review(page: Page): Promise<Locator> {
  await page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Review' }).click()
  return page.getByRole('dialog')
}

/** The save button in the review. */
export const saveButton = (page: Page): Locator =>
  page.getByRole('dialog').getByRole('button', { name: /^Save and start/ })

/** Reviews and saves the unsaved changes. */
export async function save(page: Page): Promise<void> {
  await review(page)
  await saveButton(page).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

/** Signs out with the user menu. */
export async function signOut(page: Page, user: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(user, 'i') }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByText('You are signed out')).toBeVisible()
}

/** Waits until the save is applied: each of its operations has succeeded. */
export async function expectApplied(page: Page): Promise<void> {
  const saved = page.getByRole('status').filter({ hasText: /Snapshot \d+ applied/ })
  await expect(saved).toContainText('Succeeded')
}

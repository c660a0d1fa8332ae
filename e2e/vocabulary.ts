import { expect } from '@playwright/test'
import type { Page } from '@playwright/test'
import type { Scope } from '#contract/protocol/scope.ts'

/** The address of a scope's configuration. */
export function configurationPath({ environmentKey, applicationRuntimeId, workspaceId }: Scope): string {
  return `/scopes/${environmentKey}/${applicationRuntimeId}/${workspaceId}/configuration`
}

/** A page is there when its heading is, and nothing of it is still loading. */
export async function expectPage(page: Page, heading: string | RegExp): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
}

import { test as base } from '@playwright/test'
import type { Page } from '@playwright/test'
import { startSystem } from './system.ts'
import type { System } from './system.ts'
import { users } from './users.ts'
import type { UserName } from './users.ts'

export { expect } from '@playwright/test'

/** The tests' way in: `system` is the worker's own, `signIn` opens a page as somebody, in a browser of their own. */
export const test = base.extend<
  { signIn: (user: UserName, path?: string) => Promise<Page> },
  { system: System }
>({
  system: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from here
    async ({}, use, worker) => {
      const system = await startSystem(worker.workerIndex)
      await use(system)
      await system.stop()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  signIn: async ({ browser, system }, use) => {
    const contexts: { close(): Promise<void> }[] = []
    const violations: string[] = []
    await use(async (name, path = '/') => {
      const context = await browser.newContext({ baseURL: system.url })
      contexts.push(context)
      const page = await context.newPage()
      page.on('console', (message) => {
        if (/content.security.policy|trusted.?type/i.test(message.text())) violations.push(message.text())
      })
      await page.goto(`/auth/login?returnTo=${encodeURIComponent(path)}`)
      await page.getByLabel('Username').fill(users[name].username)
      await page.getByLabel('Password').fill(users[name].password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL((url) => url.pathname === new URL(path, system.url).pathname)
      return page
    })
    for (const context of contexts) await context.close()
    if (violations.length > 0)
      throw new Error(`The Content-Security-Policy was violated:\n${violations.join('\n')}`)
  },
})

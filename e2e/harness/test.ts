import { test as base } from '@playwright/test'
import type { Browser, BrowserContext, BrowserContextOptions, Cookie, Page } from '@playwright/test'
import type { Scope } from '#contract/protocol/scope.ts'
import { configurationPath, field, MAIL } from '../vocabulary.ts'
import { startSystem } from './system.ts'
import type { System } from './system.ts'
import { users } from './users.ts'
import type { UserName } from './users.ts'

export { expect } from '@playwright/test'

interface Fixtures {
  /** Errors that no page may cause: violations of its content policy and uncaught errors. Any of them fails the journey. */
  browserErrors: string[]
  /** Opens a page as a signed-in user in a separate browser. Journeys of a user share sessions: see `signInAt`. */
  signIn: (user: UserName, path?: string) => Promise<Page>
  /** The same on a phone with a touch screen, 360 px wide. */
  signInOnPhone: (user: UserName, path?: string) => Promise<Page>
  /** Opens a page in a separate browser without signing in. */
  visit: (path: string, device?: BrowserContextOptions) => Promise<Page>
  /** A scope of the journey's own in which crm-suite 1.0.0 is installed. */
  crmScope: Scope
  /**
   * Opens the configuration of `crmScope` as Olivia, at CRM mail where no other resource is named, and fills in one of
   * its fields where one is named.
   */
  editing: (edit?: { resource?: string; field?: string; value?: string }) => Promise<Page>
}

/** The test function with our fixtures; `system` belongs to the worker. */
export const test = base.extend<Fixtures, { system: System }>({
  system: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from here
    async ({}, use, worker) => {
      const system = await startSystem(worker.workerIndex)
      await use(system)
      await system.stop()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  // oxlint-disable-next-line no-empty-pattern -- as above
  browserErrors: async ({}, use) => {
    const browserErrors: string[] = []
    await use(browserErrors)
    if (browserErrors.length > 0) throw new Error(`The browser reported errors:\n${browserErrors.join('\n')}`)
  },
  visit: async ({ browser, system, browserErrors }, use, info) => {
    const contexts: BrowserContext[] = []
    await use(async (path, device = {}) => {
      const context = await newBrowser(browser, system, browserErrors, device)
      contexts.push(context)
      const page = await context.newPage()
      await page.goto(path)
      return page
    })
    // a journey that ran out of time may not say where it was
    if (info.status !== info.expectedStatus) {
      const addresses = contexts.flatMap((context) => context.pages()).map((page) => page.url())
      await info.attach('open pages', { body: addresses.join('\n'), contentType: 'text/plain' })
    }
    system.proxy.up()
    for (const context of contexts) await context.close()
  },
  signIn: async ({ visit, system }, use) => {
    await use((name, path) => signInAt({ visit, system }, name, path))
  },
  signInOnPhone: async ({ visit, system }, use) => {
    await use((name, path) => signInAt({ visit, system }, name, path, PHONE))
  },
  crmScope: async ({ system }, use) => {
    const scope = system.newScope()
    await system.install(scope, 'crm-suite', '1.0.0')
    await use(scope)
  },
  editing: async ({ signIn, crmScope }, use) => {
    await use(async ({ resource = MAIL, field: title, value = '' } = {}) => {
      const page = await signIn('olivia', configurationPath(crmScope, resource))
      if (title !== undefined) await field(page, title).fill(value)
      return page
    })
  },
})

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }

/** How long journeys share the session of a user: so short that the sign-in remains a recent one during a journey. */
const SHARED_MS = 120_000

interface SharedSession {
  cookies: Cookie[]
  from: number
}

/** The newest session of each user of this worker's system. */
const sessions = new Map<UserName, SharedSession>()

/**
 * Signs in with the form, or uses the session of an earlier journey if it is valid: the form, the password hash and the
 * redirects are a fifth of a short journey. `sign-in.e2e.ts` has the journeys about the form.
 */
async function signInAt(
  { visit, system }: { visit: Fixtures['visit']; system: System },
  name: UserName,
  path = '/',
  device: BrowserContextOptions = {},
) {
  const shared = sessions.get(name)
  if (shared !== undefined && (await isValid(shared, system)))
    return visit(path, { ...device, storageState: { cookies: shared.cookies, origins: [] } })
  const page = await visit(`/auth/login?returnTo=${encodeURIComponent(path)}`, device)
  await fillSignIn(page, name)
  await page.waitForURL((url) => url.pathname === new URL(path, 'http://localhost').pathname)
  const cookies = (await page.context().cookies()).filter(({ httpOnly }) => httpOnly)
  sessions.set(name, { cookies, from: performance.now() })
  return page
}

/** Not if it is old, or a journey has ended it or made it older. */
async function isValid({ cookies, from }: SharedSession, system: System): Promise<boolean> {
  if (performance.now() - from > SHARED_MS || from < system.signInsAgedAt()) return false
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const { ok } = await fetch(`${system.url}/api/session`, {
    headers: { cookie, 'x-requested-by': 'console' },
  })
  return ok
}

export async function fillSignIn(page: Page, name: UserName, password = users[name].password): Promise<void> {
  await page.getByLabel('Username').fill(users[name].username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function newBrowser(
  browser: Browser,
  system: System,
  browserErrors: string[],
  device: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext({ ...device, baseURL: system.url })
  await context.exposeBinding('reportViolation', (_, words: string) => browserErrors.push(words))
  await context.addInitScript(() => {
    const { reportViolation } = globalThis as unknown as { reportViolation: (words: string) => void }
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      reportViolation(`Content-Security-Policy: ${violatedDirective} ${blockedURI} ${sample}`),
    )
  })
  context.on('console', (message) => {
    // the event does not cover everything: what is blocked before the first script runs appears only in the console
    if (/content.security.policy|trusted.?type/i.test(message.text())) browserErrors.push(message.text())
  })
  context.on('weberror', (uncaught) => {
    const { name, message, stack } = uncaught.error()
    browserErrors.push(`Uncaught at ${uncaught.page()?.url()}: ${name} ${message}\n${stack}`)
  })
  return context
}

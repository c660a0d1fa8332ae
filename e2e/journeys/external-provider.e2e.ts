import { ExternalProvider } from '#bff/oidc/testing-provider.ts'
import { startForTests } from '../../start-for-tests.ts'
import { expect, test } from '../harness/test.ts'

test('a sign-out ends the session at the provider too, and the next sign-in asks (A05)', async ({
  browser,
}) => {
  const provider = new ExternalProvider()
  await provider.start()
  provider.claims = { sub: 'u-1', name: 'Ada Lovelace', roles: ['viewer'] }
  const running = await startForTests({
    auth: { externalIdp: { issuer: provider.issuer, clientId: 'console', clientSecret: 'client-secret' } },
    logLevel: 'error',
  })
  const origin = running.url
  const context = await browser.newContext({ baseURL: origin })
  try {
    const page = await context.newPage()
    await page.goto('/installations')
    await expect(page.getByRole('heading', { level: 1, name: 'Installations' })).toBeVisible()
    await page.getByRole('button', { name: /ada lovelace/i }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible()
    await expect(page).toHaveURL(`${origin}/signed-out`)
    expect(provider.signOuts).toHaveLength(1)
    expect(provider.signOuts[0]?.get('id_token_hint')).toMatch(/^eyJ/)

    await page.getByRole('link', { name: 'Sign in' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
    expect(provider.signIns.map((query) => query.get('prompt'))).toEqual([null, 'login'])
  } finally {
    await context.close()
    await running.stop()
    await provider.stop()
  }
})

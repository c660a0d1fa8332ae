import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ExternalProvider } from '#bff/oidc/testing-provider.ts'
import { freePort } from '#database/free-port.ts'
import { toUrl } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import { createLog } from '#http-kit/log.ts'
import { startAll } from '../../start.ts'
import { expect, test } from '../harness/test.ts'

test('a sign-out ends the session at the provider too, and the next sign-in asks (A05)', async ({
  browser,
}) => {
  const provider = new ExternalProvider()
  await provider.start()
  provider.claims = { sub: 'u-1', name: 'Ada Lovelace', roles: ['viewer'] }
  const dataDir = mkdtempSync(join(tmpdir(), 'bundle-console-provider-'))
  const database = await testDatabase({
    migrations: [
      { schema: 'runtime', folder: new URL('../../runtime/store/migrations/', import.meta.url) },
      { schema: 'bff', folder: new URL('../../bff/store/migrations/', import.meta.url) },
    ],
  })
  const [port, runtimePort] = [await freePort(), await freePort()]
  const origin = `http://localhost:${port}`
  const running = await startAll({
    dataDir,
    databaseUrl: toUrl(database.connection),
    console: {
      port,
      auth: {
        publicOrigin: origin,
        externalIdp: { issuer: provider.issuer, clientId: 'console', clientSecret: 'client-secret' },
        rolesClaim: 'roles',
        users: null,
        limits: { idleSeconds: 900, absoluteSeconds: 28_800 },
        recentSignInSeconds: 300,
        trustedProxyHops: 0,
      },
      runtime: null,
      logLevel: 'error',
    },
    runtime: { port: runtimePort, platformApiBase: null, egressAllow: [{ kind: 'loopback' }] },
    plugins: false,
    folder: new URL('../../dist/web', import.meta.url).pathname,
    log: createLog({ name: 'provider', level: 'error' }),
  })
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
    await database.close()
    await provider.stop()
    rmSync(dataDir, { recursive: true })
  }
})

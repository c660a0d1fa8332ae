import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Installation, InstalledVersions } from '#contract/console-api/shapes.ts'
import { renderConsole } from '../../testing/render.tsx'
import { OLIVIA, serveScope } from '../../testing/served-scope.ts'

const VERSIONS = 'GET /installed-versions'
const INSTALLATIONS = 'GET /installations'
const at = '2026-11-22T08:00:00.000Z'
const bundle = { environmentKey: 'production', bundleId: 'crm' }
const crm: InstalledVersions = {
  bundle,
  title: 'CRM',
  newest: { version: '1.10.0', publishedAt: at },
  installations: 3,
  outdated: 2,
  versions: [
    { version: '1.10.0', publishedAt: at, installations: 1, isOutdated: false },
    { version: '1.9.0', publishedAt: at, installations: 2, isOutdated: true },
  ],
}
const installed = (workspaceId: number): Installation => ({
  installation: {
    environmentKey: 'production',
    applicationRuntimeId: 'eu',
    workspaceId,
    bundleInstallId: `01920000-0000-7000-8000-00000000000${workspaceId}`,
    bundle,
  },
  title: 'CRM',
  state: 'ACTIVE',
  version: '1.9.0',
  upgradeTo: '1.10.0',
  claim: null,
  nextStep: { actor: 'NOBODY', action: 'NONE', since: at },
  updatedAt: at,
})
const item = (title: string) => page.getByRole('region', { name: new RegExp(`^${title} `) })
const upgrade = page.getByRole('button', { name: 'Upgrade CRM 1.9.0' })

test('the page says whether all installations have the same version', async () => {
  const only = { ...crm, installations: 2, versions: crm.versions.slice(1) }
  const desk = { ...only, bundle: { ...bundle, bundleId: 'desk' }, title: 'Desk', outdated: 0 }
  await serveScope({
    [VERSIONS]: () => ({
      items: [crm, { ...desk, versions: [{ ...only.versions[0]!, isOutdated: false }] }],
      nextCursor: null,
    }),
  })
  await renderConsole('/versions')
  await expect.element(item('CRM')).toMatchTextContent(/2 of 3 are outdated/)
  await expect.element(item('Desk')).toMatchTextContent(/All 2 installations are on 1\.9\.0/)
  await expect.element(item('Desk')).not.toMatchTextContent(/outdated/)
  await expect
    .element(page.getByRole('link', { name: 'CRM 1.9.0: 2 installations' }))
    .toHaveAttribute('href', expect.stringContaining('version=1.9.0'))
})

test('an upgrade of a version takes its outdated installations, in the scope of the page', async () => {
  const { api } = await serveScope({
    [VERSIONS]: () => ({ items: [crm], nextCursor: null }),
    [INSTALLATIONS]: () => ({ items: [installed(1), installed(2)], nextCursor: null }),
  })
  await renderConsole('/versions?environmentKey=production')
  await upgrade.click()
  await expect.element(page.getByRole('dialog', { name: 'Upgrade 2 installations' })).toBeVisible()
  const request = api.requests(INSTALLATIONS).find(({ query }) => query.get('limit') === '200')
  expect(Object.fromEntries(request?.query ?? [])).toMatchObject({
    environmentKey: 'production',
    bundleEnvironmentKey: 'production',
    bundleId: 'crm',
    version: '1.9.0',
    upgrade: 'available',
  })
})

test('if the installations were upgraded meanwhile, the numbers are read again', async () => {
  const { api } = await serveScope({
    [VERSIONS]: () => ({ items: [crm], nextCursor: null }),
    [INSTALLATIONS]: () => ({ items: [], nextCursor: null }),
  })
  await renderConsole('/versions')
  await expect.element(upgrade).toBeVisible()
  api.answer({ [VERSIONS]: () => ({ items: [], nextCursor: null }) })
  await upgrade.click()
  await expect.element(page.getByText(/The numbers are now up to date/)).toBeVisible()
  await expect.element(page.getByText('No active installations')).toBeVisible()
})

test('without the permission to upgrade there is no button', async () => {
  await serveScope({
    [VERSIONS]: () => ({ items: [crm], nextCursor: null }),
    'GET /session': () => ({
      user: OLIVIA,
      roles: ['viewer'],
      permissions: ['read'],
      grants: [{ permissions: ['read'], scope: null }],
      environmentMarks: [],
    }),
  })
  await renderConsole('/versions')
  await expect.element(item('CRM')).toMatchTextContent(/2 of 3 are outdated/)
  expect(upgrade.query()).toBeNull()
})

import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Installation, InstalledVersions, ScopeVersions } from '#contract/console-api/shapes.ts'
import { invalidateEndpoints } from '../../api/query.ts'
import { queryClient } from '../../app/query-client.ts'
import { refusal } from '../../testing/api.ts'
import { renderConsole } from '../../testing/render.tsx'
import { OLIVIA, serveScope } from '../../testing/served-scope.ts'

const VERSIONS = 'GET /installed-versions/scopes'
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
    { version: '1.10.0', publishedAt: at, installations: 1, isOutdated: false, behind: 0 },
    { version: '1.9.0', publishedAt: at, installations: 2, isOutdated: true, behind: 1 },
  ],
}
const installed = (workspaceId: number): Installation => ({
  installation: {
    environmentKey: 'production',
    applicationRuntimeId: 'eu',
    workspaceId,
    bundleInstallId: idOf(workspaceId),
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
const idOf = (workspaceId: number) => `01920000-0000-7000-8000-00000000000${workspaceId}`
type Claim = ScopeVersions['installations'][number]['claim']
const inScope = (workspaceId: number, version: string, claim: Claim = null): ScopeVersions => ({
  environmentKey: 'production',
  applicationRuntimeId: 'eu',
  workspaceId,
  installations: [{ bundleInstallId: idOf(workspaceId), bundle, version, claim }],
})
const list = <Row,>(items: Row[], nextCursor: string | null = null) => ({ items, nextCursor })
const matrix = (
  bundles: InstalledVersions[] = [crm],
  scopes = [inScope(1, '1.10.0'), inScope(2, '1.9.0'), inScope(3, '1.9.0', 'FAILED')],
) => ({ ...list(scopes), bundles: list(bundles) })
const table = page.getByRole('table', { name: 'Versions by scope' })
const total = table.getByRole('row', { name: /^All of these scopes/ })
const upgrade = page.getByRole('button', { name: 'Upgrade 2 outdated CRM' })

test('the page says whether all installations have the same version', async () => {
  const only = { ...crm, installations: 2, versions: crm.versions.slice(1) }
  const newest = { ...only.versions[0]!, isOutdated: false, behind: 0 }
  const newestOnly = (bundleId: string, title: string, installations: number): InstalledVersions => ({
    ...only,
    bundle: { ...bundle, bundleId },
    title,
    installations,
    outdated: 0,
    versions: [{ ...newest, installations }],
  })
  await serveScope({
    [VERSIONS]: () => matrix([crm, newestOnly('mail', 'Mail', 1), newestOnly('desk', 'Desk', 2)]),
  })
  await renderConsole('/versions')
  const cells = total.getByRole('cell')
  await expect.element(cells.first()).toMatchTextContent(/2 of 3 outdated/)
  await expect.element(cells.last()).toMatchTextContent(/All on 1\.9\.0/)
  await expect.element(cells.last()).not.toMatchTextContent(/ outdated/)
  await expect.element(cells.nth(1)).toMatchTextContent(/^On 1\.9\.0/)
  await expect
    .element(page.getByRole('link', { name: 'CRM 1.9.0: 2 installations' }))
    .toHaveAttribute('href', expect.stringContaining('version=1.9.0'))
})

test('an outdated version has no check mark, also if all installations have it', async () => {
  const all = { ...crm, installations: 2, versions: crm.versions.slice(1) }
  const newest = { ...all.versions[0]!, isOutdated: false, behind: 0 }
  const desk = { ...all, bundle: { ...bundle, bundleId: 'desk' }, title: 'Desk' }
  await serveScope({ [VERSIONS]: () => matrix([all, { ...desk, outdated: 0, versions: [newest] }]) })
  await renderConsole('/versions')
  const lines = total.getByText('All on 1.9.0')
  await expect.element(lines.first()).toBeVisible()
  expect(lines.elements().map((line) => line.querySelector('svg') !== null)).toEqual([false, true])
})

test('a press on an outdated version plans its upgrade; others, and locked ones, are opened', async () => {
  const { api } = await serveScope({ [VERSIONS]: () => matrix() })
  await renderConsole('/versions')
  const names = [
    'CRM 1.10.0 in production/eu/1, not outdated',
    /^CRM 1\.9\.0 in production\/eu\/3, 1 version behind\. .*[Ff]ailed/,
  ]
  for (const [index, name] of names.entries())
    await expect
      .element(table.getByRole('link', { name }))
      .toHaveAttribute('href', `/installations/${idOf(index === 0 ? 1 : 3)}`)
  await table
    .getByRole('button', { name: 'CRM 1.9.0 in production/eu/2, 1 version behind. Upgrade it' })
    .click()
  await expect.element(page.getByRole('dialog', { name: 'Upgrade 1 installation' })).toBeVisible()
  // a link below the pointer may prefetch the list of installations, with another limit
  expect(api.requests(INSTALLATIONS).filter(({ query }) => query.get('limit') === '200')).toEqual([])
})

test('scopes and bundles are turned by pages of their own', async () => {
  const { api } = await serveScope({
    [VERSIONS]: () => ({ ...matrix(), nextCursor: 'more-scopes', bundles: list([crm], 'more-bundles') }),
  })
  const { address } = await renderConsole('/versions?cursor=second&environmentKey=production')
  await page.getByRole('navigation', { name: 'Pages of scopes' }).getByRole('link', { name: 'Next' }).click()
  await expect.poll(address).toBe('/versions?cursor=more-scopes&environmentKey=production')
  await page.getByRole('navigation', { name: 'Pages of bundles' }).getByRole('link', { name: 'Next' }).click()
  // other bundles are in other scopes, so these begin again
  await expect.poll(address).toBe('/versions?environmentKey=production&bundleCursor=more-bundles')
  await expect
    .poll(() => Object.fromEntries(api.requests(VERSIONS).at(-1)?.query ?? []))
    .toMatchObject({ environmentKey: 'production', bundleCursor: 'more-bundles' })
})

test('one outdated version has one button, which says how many installations it upgrades', async () => {
  await serveScope({ [VERSIONS]: () => matrix() })
  await renderConsole('/versions')
  await expect.element(upgrade).toBeVisible()
  expect(total.getByRole('button', { name: /Upgrade/ }).elements()).toHaveLength(1)
})

test('of several outdated versions, an upgrade of one takes its installations, in the scope of the page', async () => {
  const older = { version: '1.8.0', publishedAt: at, installations: 1, isOutdated: true, behind: 2 }
  const two = { ...crm, installations: 4, outdated: 3, versions: [...crm.versions, older] }
  const { api } = await serveScope({
    [VERSIONS]: () => matrix([two]),
    [INSTALLATIONS]: () => list([installed(1), installed(2)]),
  })
  await renderConsole('/versions?environmentKey=production')
  await page.getByRole('button', { name: 'Upgrade CRM 1.9.0' }).click()
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
  const { api } = await serveScope({ [VERSIONS]: () => matrix(), [INSTALLATIONS]: () => list([]) })
  await renderConsole('/versions')
  await expect.element(upgrade).toBeVisible()
  api.answer({ [VERSIONS]: () => matrix([], []) })
  await upgrade.click()
  await expect.element(page.getByText(/The numbers are now up to date/)).toBeVisible()
  await expect.element(page.getByText('No active installations')).toBeVisible()
})

test('numbers that could not be read again are called out of date', async () => {
  const { api } = await serveScope({ [VERSIONS]: () => matrix() })
  await renderConsole('/versions')
  await expect.element(upgrade).toBeVisible()
  api.answer({ [VERSIONS]: () => refusal({}) })
  await invalidateEndpoints(queryClient, [VERSIONS])
  const retry = page.getByRole('button', { name: 'Try again' })
  await expect.element(retry).toBeVisible()
  await expect.element(upgrade).toBeVisible()
  api.answer({ [VERSIONS]: () => matrix([], []) })
  await retry.click()
  await expect.element(page.getByText('No active installations')).toBeVisible()
  await expect.element(retry).not.toBeInTheDocument()
})

test('without the permission to upgrade there is no button', async () => {
  await serveScope({
    [VERSIONS]: () => matrix(),
    'GET /session': () => ({
      user: OLIVIA,
      roles: ['viewer'],
      permissions: ['read'],
      grants: [{ permissions: ['read'], scope: null }],
      environmentMarks: [],
    }),
  })
  await renderConsole('/versions')
  await expect.element(total).toMatchTextContent(/2 of 3 outdated/)
  await expect.element(table.getByRole('link', { name: /in production\/eu\/2/ })).toBeVisible()
  expect(table.getByRole('button').elements()).toEqual([])
})

test('of a title that is cut off after three lines, nothing of the fourth is visible', async () => {
  const title = 'Customer relations '.repeat(20).trim()
  await serveScope({ [VERSIONS]: () => matrix([{ ...crm, title }]) })
  await renderConsole('/versions')
  const text = table.getByText(title)
  await expect.element(text).toBeVisible()
  const { clientHeight, scrollHeight } = text.element()
  expect(scrollHeight).toBeGreaterThan(clientHeight)
  expect(clientHeight).toBe(3 * Number.parseFloat(getComputedStyle(text.element()).lineHeight))
})

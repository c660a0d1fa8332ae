import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Claim, Installation, NextStep } from '#contract/console-api/shapes.ts'
import { renderConsole, rowElements } from '../../testing/render.tsx'
import { refusal } from '../../testing/api.ts'
import { serveScope } from '../../testing/served-scope.ts'

const at = '2026-11-20T10:00:00.000Z'

const installation = (
  workspaceId: number,
  claim: Claim | null,
  nextStep: Omit<NextStep, 'since'>,
): Installation => ({
  installation: {
    environmentKey: 'production',
    applicationRuntimeId: 'eu',
    workspaceId,
    bundleInstallId: `01920000-0000-7000-8000-00000000000${workspaceId}`,
    bundle: { environmentKey: 'production', bundleId: 'crm-suite' },
  },
  title: 'CRM',
  state: 'ACTIVE',
  version: '1.9.0',
  upgradeTo: '1.10.0',
  claim,
  nextStep: { ...nextStep, since: at },
  updatedAt: at,
})
const claim = (state: Claim['state']): Claim => ({
  operationId: '01920000-0000-7000-8000-0000000000a1',
  operationType: 'CONFIGURE',
  state,
  since: at,
  requestedBy: { id: 'mira', name: 'Mira' },
})

const serveInstallations = () =>
  serveScope({
    'GET /installations': () => ({
      items: [
        installation(1, null, { actor: 'NOBODY', action: 'NONE' }),
        installation(2, claim('FAILED'), { actor: 'SUPPORT', action: 'RETRY' }),
        installation(3, claim('RUNNING'), { actor: 'PLATFORM', action: 'FINISH' }),
        installation(4, claim('WAITING'), { actor: 'PLATFORM', action: 'RETRY' }),
      ],
      nextCursor: null,
    }),
  })

test('a row costs at most 30 elements, however much it shows', async () => {
  await serveInstallations()
  await renderConsole('/installations')
  await expect.poll(() => rowElements().length).toBe(4)
  expect(Math.max(...rowElements())).toBeLessThanOrEqual(30)
})

test('a row names the newer version, as a link only if an upgrade is possible now', async () => {
  await serveInstallations()
  const screen = await renderConsole('/installations')
  const newer = page.getByRole('img', { name: '1.10.0 available' })
  await expect.poll(() => newer.elements().length).toBe(3)
  await page.getByRole('link', { name: 'Upgrade to 1.10.0' }).click()
  await expect.poll(screen.address).toContain('action=upgrade')
})

test('the whole scope is visible, on one line in a window of 1280 px, and is named and copied without a space', async () => {
  const long = installation(1, claim('WAITING'), { actor: 'NOBODY', action: 'NONE' })
  const place = { environmentKey: 'production', applicationRuntimeId: 'ap-southeast', workspaceId: 1234 }
  await serveScope({
    'GET /installations': () => ({
      items: [{ ...long, installation: { ...long.installation, ...place } }],
      nextCursor: null,
    }),
  })
  await renderConsole('/installations')
  const cell = page.getByRole('cell', { name: 'production/ap-southeast/1234', exact: true })
  await expect.element(cell).toBeVisible()
  const text = document.createRange()
  text.selectNodeContents(cell.element())
  const lines = () => new Set([...text.getClientRects()].map(({ bottom }) => Math.round(bottom))).size
  expect(lines()).toBe(1)
  const isWhole = () => cell.element().scrollWidth <= cell.element().clientWidth
  expect(isWhole()).toBe(true)
  await page.viewport(700, 800)
  await expect.poll(lines).toBe(2)
  expect(isWhole()).toBe(true)
  await expect.element(cell).toBeVisible()
  getSelection()?.setBaseAndExtent(cell.element(), 0, cell.element(), cell.element().childNodes.length)
  expect(String(getSelection())).toBe('production/ap-southeast/1234')
})

test('only the ends of a long part of a scope are visible in a row, which has few lines and is copied whole', async () => {
  const long = installation(1, null, { actor: 'NOBODY', action: 'NONE' })
  const place = {
    environmentKey: 'tenant-of-the-northern-region-production',
    applicationRuntimeId: 'customer-acceptance-frankfurt-am-main',
    workspaceId: 1_048_576,
  }
  const whole = Object.values(place).join('/')
  await serveScope({
    'GET /installations': () => ({
      items: [{ ...long, installation: { ...long.installation, ...place } }],
      nextCursor: null,
    }),
  })
  await renderConsole('/installations')
  const cell = page.getByRole('cell').filter({ hasText: whole })
  await expect.element(cell).toBeVisible()
  await userEvent.hover(cell)
  await expect.element(cell).toHaveAttribute('title', whole)
  const height = () => cell.element().getBoundingClientRect().height
  expect(height()).toBeLessThanOrEqual(52)
  await page.viewport(720, 800)
  await expect.poll(() => cell.element().clientWidth).toBeLessThan(250)
  expect(height()).toBeLessThanOrEqual(72)
  getSelection()?.setBaseAndExtent(cell.element(), 0, cell.element(), cell.element().childNodes.length)
  expect(String(getSelection())).toBe(whole)
})

test('an ID in the address that is none is not found, and leads to the list', async () => {
  const { api } = await serveScope()
  api.answer({
    'GET /installations/{bundleInstallId}': () =>
      refusal({
        status: 400,
        code: 'REQUEST_INVALID',
        message: 'path.bundleInstallId: Must be a UUID in lower case',
        details: [
          {
            path: 'path.bundleInstallId',
            errorCode: 'REQUEST_INVALID',
            message: 'Must be a UUID in lower case',
          },
        ],
      }),
  })
  await renderConsole('/installations/nope')
  await expect.element(page.getByText('The ID in the address is not valid.')).toBeVisible()
  await expect.element(page.getByText(/bundleInstallId/)).not.toBeInTheDocument()
  await expect
    .element(page.getByRole('main').getByRole('link', { name: 'Installations' }).last())
    .toBeVisible()
})

test('on a phone, the lock of an installation is not cut', async () => {
  await page.viewport(360, 740)
  await serveInstallations()
  await renderConsole('/installations')
  const lock = page.getByRole('cell', { name: /^Configure \(waiting\)/ })
  await expect.element(lock).toBeVisible()
  const parts = [lock.element(), ...lock.element().querySelectorAll('*')]
  expect(
    parts.filter(({ clientHeight, scrollHeight }) => scrollHeight > clientHeight && clientHeight > 1),
  ).toEqual([])
})

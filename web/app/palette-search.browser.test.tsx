import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { refusal } from '../testing/api.ts'
import { renderConsole } from '../testing/render.tsx'
import { MAIL, serveScope } from '../testing/served-scope.ts'

const none = () => ({ items: [], nextCursor: null })
const palette = page.getByRole('dialog', { name: 'Search' })

test('a pasted scope goes straight there, and properties are found by title, of the open configuration first', async () => {
  const scope = await serveScope({
    'GET /scopes': none,
    'GET /bundles': none,
    'GET /plugins': none,
    'GET /services': none,
    'GET /installed-properties': () => ({
      items: [
        {
          installation: {
            environmentKey: 'staging',
            applicationRuntimeId: 'eu-west',
            workspaceId: 7,
            bundleInstallId: '0198c5a0-0000-7000-8000-000000000009',
            bundle: { environmentKey: 'production', bundleId: 'crm-suite' },
          },
          locator: MAIL,
          resourceTitle: 'CRM mail',
          property: 'smtpUser',
          title: 'SMTP user',
        },
      ],
    }),
  })
  const screen = await renderConsole(scope.address(MAIL))
  await expect.element(page.getByRole('textbox', { name: 'SMTP port' })).toBeVisible()
  await userEvent.keyboard('{Control>}k{/Control}')
  await userEvent.keyboard('user crm')
  const user = palette.getByRole('option', { name: /CRM mail · SMTP user/ })
  await expect.poll(() => user.elements().length).toBe(2)
  await expect.poll(() => user.elements()[1]?.textContent).toContain('staging/eu-west/7')
  await user.first().click()
  await expect.element(page.getByRole('textbox', { name: 'SMTP user' })).toHaveFocus()

  await userEvent.keyboard('{Control>}k{/Control}')
  await userEvent.keyboard('staging/eu-west/7')
  await expect.element(palette.getByRole('option', { name: 'staging/eu-west/7' })).toBeVisible()
  await userEvent.keyboard('{Enter}')
  expect(screen.address()).toBe('/scopes/staging/eu-west/7/configuration')
})

test('a list that cannot be searched fails alone and is named', async () => {
  const scope = await serveScope({
    'GET /scopes': none,
    'GET /bundles': none,
    'GET /plugins': () => refusal({ status: 500, code: 'INTERNAL_ERROR' }),
    'GET /installed-properties': () => ({ items: [] }),
    'GET /services': () => ({
      items: [
        {
          serviceId: 'zebra',
          title: 'Zebra mail',
          url: 'https://zebra.example',
          methods: [],
          owner: null,
          consumers: [],
          enabled: true,
          updatedAt: '2026-11-22T08:00:00.000Z',
        },
      ],
      nextCursor: null,
    }),
  })
  await renderConsole(scope.address(MAIL))
  await expect.element(page.getByRole('textbox', { name: 'SMTP port' })).toBeVisible()
  await userEvent.keyboard('{Control>}k{/Control}')
  await userEvent.keyboard('zebra')
  await expect.element(palette.getByRole('option', { name: /Zebra mail/ })).toBeVisible()
  await expect.element(palette.getByText('Not available right now: Plugins')).toBeVisible()
})

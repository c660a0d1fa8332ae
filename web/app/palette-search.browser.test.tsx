import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { scopeRowWith } from '../testing/scope-row.ts'
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
          installations: 1,
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

/** A property of CRM mail in one of several scopes. */
const inScope = (workspaceId: number, property: string, title: string, installations: number) => ({
  installation: {
    environmentKey: 'staging',
    applicationRuntimeId: 'eu-west',
    workspaceId,
    bundleInstallId: `0198c5a0-0000-7000-8000-00000000000${workspaceId}`,
    bundle: { environmentKey: 'production', bundleId: 'crm-suite' },
  },
  locator: MAIL,
  resourceTitle: 'CRM mail',
  property,
  title,
  installations,
})
const at = '2026-11-22T08:00:00.000Z'
const installed = (workspaceId: number) => ({
  installation: inScope(workspaceId, '', '', 1).installation,
  title: 'CRM suite',
  state: 'ACTIVE' as const,
  version: '1.0.0',
  upgradeTo: null,
  claim: null,
  nextStep: { actor: 'NOBODY' as const, action: 'NONE' as const, since: at },
  updatedAt: at,
})
const bundle = (bundleId: string, title: string) => ({
  bundle: { environmentKey: 'production', bundleId },
  title,
  description: null,
  versions: 1,
  latest: { version: '1.0.0', publishedAt: at },
})

async function openPalette(answers: Parameters<typeof serveScope>[0] = {}) {
  const scope = await serveScope({
    'GET /scopes': none,
    'GET /bundles': none,
    'GET /plugins': none,
    'GET /services': none,
    'GET /saved-views': none,
    'GET /installed-properties': () => ({ items: [] }),
    ...answers,
  })
  const screen = await renderConsole('/operations')
  await expect.element(page.getByRole('heading', { name: 'Operations' })).toBeVisible()
  await userEvent.keyboard('{Control>}k{/Control}')
  return { ...scope, ...screen }
}
const type = (text: string) => palette.getByRole('combobox').fill(text)
const options = palette.getByRole('option')

test('a scope is found among more than one page of them', async () => {
  const scope = scopeRowWith({
    environmentKey: 'production',
    applicationRuntimeId: 'eu-north',
    workspaceId: 900,
  })
  await openPalette({
    'GET /scopes': ({ query }) => ({
      items: query.get('q') === 'north/900' ? [scope] : [],
      nextCursor: query.has('q') ? null : 'more',
    }),
  })
  await type('north / 900')
  await expect.element(palette.getByRole('option', { name: 'production/eu-north/900' })).toBeVisible()
})

test('many installations of a property are one result, within which a scope is chosen', async () => {
  const { api, address } = await openPalette({
    'GET /installed-properties': () => ({
      items: [
        ...[1, 2, 3].map((n) => inScope(n, 'smtpPort', 'SMTP port', 8)),
        inScope(1, 'smtpEncryption', 'Encryption', 1),
      ],
    }),
    'GET /installations': ({ query }) => ({
      items: query.has('bundleId') ? [installed(1), installed(2)] : [],
      nextCursor: null,
    }),
  })
  await type('smtp')
  const port = palette.getByRole('option', { name: /CRM mail · SMTP port/ })
  await expect.element(port).toMatchTextContent(/8 scopes/)
  expect(port.elements()).toHaveLength(1)
  // its title does not say why it was found
  const encryption = palette.getByRole('option', { name: /Encryption/ })
  await expect.element(encryption).toMatchTextContent(/smtpEncryption/)
  expect(encryption.element().querySelector('mark')?.textContent).toBe('smtp')
  await userEvent.keyboard('{Enter}')
  // both scopes, and before them the page of all
  await expect.element(options).toHaveLength(3)
  await expect.element(palette.getByRole('combobox')).toHaveValue('')
  await type('2')
  await expect
    .poll(() => Object.fromEntries(api.requests('GET /installations').at(-1)?.query ?? []))
    .toMatchObject({ bundleId: 'crm-suite', state: 'ACTIVE', q: '2' })
  await type('')
  await userEvent.keyboard('{Backspace}')
  await expect.element(palette.getByRole('combobox')).toHaveValue('smtp')
  await expect.element(port).toBeVisible()
  await userEvent.keyboard('{Enter}')
  await expect.element(palette.getByRole('option', { name: 'staging/eu-west/1' })).toBeVisible()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}')
  await expect.poll(address).toMatch(/^\/scopes\/staging\/eu-west\/2\/configuration\?.*property=smtpPort/)
  await userEvent.keyboard('{Control>}k{/Control}')
  await type('smtp')
  // what was opened just now is a result of its own
  await palette.getByRole('option', { name: /SMTP port.*8 scopes/ }).click()
  await palette.getByRole('option', { name: 'Its values in all scopes' }).click()
  await expect
    .poll(address)
    .toMatch(/^\/properties\?bundleId=crm-suite&kind=MODULE&resource=.*&property=smtpPort/)
})

test('a pasted address of this console is opened; another one is named, and is not searched for', async () => {
  const { api, address } = await openPalette()
  await type(`${location.origin}/operations?state=FAILED`)
  await expect.element(palette.getByRole('option', { name: '/operations?state=FAILED' })).toBeVisible()
  await userEvent.keyboard('{Enter}')
  await expect.poll(address).toBe('/operations?state=FAILED')
  await userEvent.keyboard('{Control>}k{/Control}')
  for (const [text, note] of [
    [
      'https://elsewhere.example/operations',
      'This address belongs to elsewhere.example, not to this console.',
    ],
    [`${location.origin}/no/such/page`, 'This console has no page /no/such/page.'],
    ['https://', 'This is not a complete address.'],
  ] as const) {
    await type(text)
    await expect.element(palette.getByText(note)).toBeVisible()
    await expect.element(options).toHaveLength(0)
  }
  expect(api.requests('GET /installed-properties')).toEqual([])
})

test('a pasted locator leads to its resource in a scope, and an unknown one and an unknown id are named', async () => {
  const { address } = await openPalette({
    'GET /installations': ({ query }) => ({
      items: query.get('bundleId') === 'crm-suite' ? [installed(4)] : [],
      nextCursor: null,
    }),
    'GET /batches/{batchId}': () => refusal({ status: 404, code: 'NOT_FOUND' }),
    'GET /operations': none,
  })
  await type('production/nothing/MODULE/core')
  await expect.element(palette.getByText(/names a resource of nothing, but that bundle/)).toBeVisible()
  await type('0198c5a0-0000-7000-8000-00000000ffff')
  await expect.element(palette.getByText(/No installation, operation or batch .* has this ID/)).toBeVisible()
  await type(MAIL)
  await expect.element(palette.getByRole('option', { name: /staging\/eu-west\/4/ })).toBeVisible()
  await userEvent.keyboard('{Enter}')
  await expect.poll(address).toMatch(/^\/scopes\/staging\/eu-west\/4\/configuration\?resource=/)
})

test('an action is found with the bundle that it concerns', async () => {
  const { address } = await openPalette({
    'GET /bundles': () => ({
      items: [bundle('billing', 'Billing'), bundle('crm-suite', 'CRM suite')],
      nextCursor: null,
    }),
    'GET /operations': none,
    'GET /installations': none,
  })
  await type('outdated')
  await expect.element(palette.getByRole('option', { name: 'Show what is outdated' })).toBeVisible()
  await type('install bill')
  await expect.element(palette.getByRole('option', { name: /^Install Billing/ })).toBeVisible()
  expect(palette.getByRole('option', { name: /^Install CRM/ }).elements()).toEqual([])
  await userEvent.keyboard('{Enter}')
  await expect.poll(address).toBe('/installations/new?bundleEnvironmentKey=production&bundleId=billing')
})

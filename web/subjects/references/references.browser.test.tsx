import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { InstalledReference, Referrer } from '#contract/console-api/shapes.ts'
import { ReferenceTest } from '../../pages/configuration/form/ReferenceTest.tsx'
import { References } from '../../pages/installations/detail/References.tsx'
import { refusal, serveApi } from '../../testing/api.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { BrokenReferences } from './BrokenReferences.tsx'

const REFERENCES = 'GET /installations/{bundleInstallId}/references'
const DEPENDENCIES = 'GET /installations/{bundleInstallId}/dependencies'
const REFERRERS = 'GET /installations/{bundleInstallId}/referrers'
const bundleInstallId = '01920000-0000-7000-8000-000000000001'
const installation = {
  environmentKey: 'production',
  applicationRuntimeId: 'eu',
  workspaceId: 1,
  bundleInstallId,
  bundle: { environmentKey: 'production', bundleId: 'crm' },
}
const MAIL = 'production/crm/MODULE/mail'
const mail = { serviceId: 'mail-gateway', title: 'Mail', owner: null, refusal: null }
const resolving: InstalledReference = {
  locator: MAIL,
  resourceTitle: 'CRM mail',
  property: 'sender',
  services: [mail],
  isChanged: false,
  plugins: [{ pluginId: 'mailer', isEnabled: true, hasCredential: true }],
  refusal: null,
}

const renderTest = (isEdited = false) =>
  renderInConsole(
    <ReferenceTest
      bundleInstallId={bundleInstallId}
      locator={MAIL}
      property={'sender'}
      isEdited={isEdited}
    />,
  )
const result = page.getByRole('status').filter({ hasText: /\S/ })

test('a reference that resolves names the plugins that may resolve it', async () => {
  await serveApi({ [REFERENCES]: () => ({ items: [resolving] }) })
  await renderTest(true)
  await expect.element(result).toMatchTextContent(/Resolves for mailer/)
  await expect.element(result).toMatchTextContent(/Your change is not part of this test/)
})

test('only plugins that can send requests are named', async () => {
  const plugins = [
    ...resolving.plugins,
    { pluginId: 'disabled', isEnabled: false, hasCredential: true },
    { pluginId: 'bare', isEnabled: true, hasCredential: false },
  ]
  await serveApi({ [REFERENCES]: () => ({ items: [{ ...resolving, plugins }] }) })
  await renderTest()
  await expect.element(result).toMatchTextContent(/Resolves for mailer(?!,)/)
})

const refused: [string, Partial<InstalledReference>, RegExp][] = [
  [
    'by a service',
    { services: [{ ...mail, refusal: 'NOT_ALLOWED' }] },
    /not a consumer of the service mail-gateway/,
  ],
  ['by the authorization', { plugins: [], refusal: 'NO_PLUGIN' }, /No plugin of this bundle/],
  [
    'because no plugin can ask',
    { plugins: [{ pluginId: 'mailer', isEnabled: true, hasCredential: false }] },
    /The plugin mailer has no credential/,
  ],
  ['until it is applied', { isChanged: true, refusal: 'NOT_APPLIED' }, /has not been applied yet/],
]
for (const [how, changes, reason] of refused) {
  test(`a reference that does not resolve says why: ${how}`, async () => {
    await serveApi({ [REFERENCES]: () => ({ items: [{ ...resolving, ...changes }] }) })
    await renderTest()
    await expect.element(result).toMatchTextContent(/Does not resolve/)
    await expect.element(result).toMatchTextContent(reason)
  })
}

test('a property without a saved reference, and a test that fails, say so', async () => {
  const api = await serveApi({ [REFERENCES]: () => ({ items: [] }) })
  const screen = await renderTest()
  await expect.element(result).toMatchTextContent(/has no saved reference/)
  await screen.unmount()
  api.answer({ [REFERENCES]: () => refusal({ status: 404, code: 'NOT_FOUND', message: 'It is gone.' }) })
  await renderTest()
  await expect.element(result).toMatchTextContent(/It is gone/)
})

test('an installation shows what it refers to, and what is reached if it stops', async () => {
  const shop = { ...installation, bundleInstallId: '01920000-0000-7000-8000-000000000002' }
  await serveApi({
    [REFERENCES]: () => ({ items: [resolving] }),
    [DEPENDENCIES]: () => ({
      services: [{ serviceId: 'crm-core', title: 'CRM core', owner: null, distance: 1 }],
      installations: [
        { installation, title: 'CRM', state: 'ACTIVE', distance: 0 },
        {
          installation: { ...shop, bundle: { environmentKey: 'production', bundleId: 'shop' } },
          title: 'Shop',
          state: 'ACTIVE',
          distance: 2,
        },
      ],
      uses: [
        {
          bundleInstallId: shop.bundleInstallId,
          serviceId: 'crm-core',
          properties: [{ locator: 'production/shop/MODULE/cart', resourceTitle: null, property: 'crm' }],
          propertyCount: 1,
        },
      ],
      more: 0,
    }),
  })
  await renderInConsole(<References installation={installation} title="CRM" />)
  const to = page.getByRole('table', { name: 'Refers to' })
  await expect.element(to.getByRole('link', { name: 'CRM mail · sender' })).toBeVisible()
  await expect.element(to.getByText('Resolves for mailer')).toBeVisible()
  await expect.element(to.getByRole('link', { name: 'Mail', exact: true })).toBeVisible()
  await expect.element(page.getByText('1 other installation uses services of CRM.')).toBeVisible()
  const from = page.getByRole('table', { name: 'Reached installations' })
  await expect.element(from.getByRole('link', { name: 'Shop shop', exact: true })).toBeVisible()
  await expect.element(from.getByRole('link', { name: 'cart · crm' })).toBeVisible()
  await expect.element(from.getByRole('link', { name: 'CRM core' })).toBeVisible()
})

test('a detach names the references of other installations that it breaks', async () => {
  const other = (index: number): Referrer => ({
    installation: {
      ...installation,
      workspaceId: index,
      bundleInstallId: `01920000-0000-7000-8000-00000000010${index}`,
      bundle: { environmentKey: 'production', bundleId: `billing-${index}` },
    },
    installationTitle: `Billing ${index}`,
    locator: 'production/billing/MODULE/invoices',
    resourceTitle: 'Invoices',
    property: 'mailer',
    serviceId: 'mail-gateway',
    serviceTitle: 'Mail gateway',
  })
  const ownReference = { ...other(1), installation }
  const api = await serveApi({
    [REFERRERS]: () => ({ items: [ownReference, ...[1, 2, 3, 4, 5, 6].map(other)], nextCursor: null }),
  })
  const screen = await renderInConsole(<BrokenReferences bundleInstallId={bundleInstallId} />)
  await expect.element(screen.getByText('6 references of other installations stop resolving')).toBeVisible()
  await expect.element(screen.getByText('Billing 5')).toBeVisible()
  expect(screen.getByText('Billing 6').query()).toBeNull()
  await expect.element(screen.getByText(/The References tab of this installation lists all/)).toBeVisible()
  expect(screen.getByText(/Invoices · mailer refers to Mail gateway/).elements()).toHaveLength(5)
  await screen.unmount()

  api.answer({ [REFERRERS]: () => ({ items: [ownReference], nextCursor: null }) })
  await renderInConsole(<BrokenReferences bundleInstallId={bundleInstallId} />)
  await expect.element(page.getByText(/No other installation that you can see/)).toBeVisible()
})

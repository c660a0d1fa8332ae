import { platform } from '../../demo/people.ts'
import { expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

test('catalog, plugins, services and audit log follow what another person does', async ({
  system,
  signIn,
}) => {
  test.slow()
  const name = `live-${system.newScope().workspaceId}`
  const pages = {
    catalog: await signIn('admin', '/catalog'),
    plugins: await signIn('admin', '/plugins'),
    services: await signIn('admin', '/services'),
    audit: await signIn('admin', '/audit'),
  }
  await expectPage(pages.catalog, 'Catalog')
  await expectPage(pages.plugins, 'Plugins')
  await expectPage(pages.services, 'Services')
  await expectPage(pages.audit, 'Audit log')
  for (const page of Object.values(pages)) await expect(page.getByText(name)).toHaveCount(0)

  const bundle = { environmentKey: 'production', bundleId: `${name}-bundle` }
  await system.call(
    platform,
    'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
    {
      params: { ...bundle, version: '1.0.0' },
      body: {
        bundle,
        version: '1.0.0',
        title: `Aardvark ${name}`,
        resources: [
          { kind: 'MODULE', name: 'core', title: 'Core', moduleId: `${name}/core`, properties: {} },
        ],
        plugins: [],
      },
    },
    crypto.randomUUID(),
  )
  await expect(pages.catalog.getByText(`${name}-bundle`)).toBeVisible()
  await expect(pages.audit.getByText(new RegExp(`${name}-bundle`)).first()).toBeVisible()

  const pluginId = `${name}-plugin`
  const plugin = { title: pluginId, endpoint: 'http://127.0.0.1:1/', enabled: true }
  await system.call(
    platform,
    'PUT /plugins/{pluginId}',
    { params: { pluginId }, body: plugin },
    crypto.randomUUID(),
  )
  const line = pages.plugins.getByRole('row').filter({ hasText: pluginId })
  await expect(line).toContainText('Enabled')
  await system.call(
    platform,
    'PUT /plugins/{pluginId}',
    { params: { pluginId }, body: { ...plugin, enabled: false } },
    crypto.randomUUID(),
  )
  await expect(line).toContainText('Disabled')
  await expect(pages.audit.getByText(new RegExp(pluginId)).first()).toBeVisible()

  const serviceId = `${name}-service`
  await system.call(
    platform,
    'PUT /services/{serviceId}',
    {
      params: { serviceId },
      body: {
        title: serviceId,
        url: 'http://127.0.0.1:1',
        methods: [],
        owner: null,
        consumers: [],
        enabled: true,
      },
    },
    crypto.randomUUID(),
  )
  await expect(pages.services.getByRole('row').filter({ hasText: serviceId })).toBeVisible()
  await expect(pages.audit.getByText(new RegExp(serviceId)).first()).toBeVisible()
})

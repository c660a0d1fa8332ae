import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { wrapData } from '#contract/protocol/data.ts'
import { mira, platform } from '../../demo/people.ts'
import { expect, test } from '../harness/test.ts'

const BUNDLE = { environmentKey: 'production', bundleId: 'address-book' }
const CONFIGURATION = 'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration'
const LOCATOR = 'production/address-book/MODULE/book'

/** A version whose texts have at most so many characters, so that each next one redefines the property. */
const versionWith = (version: string, maxLength: number): AuthorManifest => ({
  bundle: BUNDLE,
  version,
  title: 'Address book',
  resources: [
    {
      kind: 'MODULE',
      name: 'book',
      title: 'Book',
      moduleId: 'address-book',
      properties: {
        address: {
          kind: 'DATA',
          schema: {
            type: 'object',
            title: 'Address',
            properties: {
              city: { type: 'string', title: 'City', maxLength },
              street: { type: 'string', title: 'Street', maxLength },
              zip: { type: 'string', title: 'Postal code', maxLength },
            },
          },
        },
      },
    },
  ],
  plugins: [],
})

test('an upgrade form is open while a colleague saves: both edits are kept, and the leaf that both changed is decided', async ({
  system,
  signIn,
}) => {
  const scope = system.newScope()
  for (const manifest of [versionWith('1.0.0', 60), versionWith('2.0.0', 80)])
    await system.call(
      platform,
      'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
      { params: { ...BUNDLE, version: manifest.version }, body: manifest },
      crypto.randomUUID(),
    )
  const base = { city: 'Hamburg', street: 'Harbor Street 1', zip: '20095' }
  const { installation, operation } = await system.call(
    platform,
    'POST /installations',
    {
      body: {
        scope,
        bundle: BUNDLE,
        targetVersion: '1.0.0',
        properties: { [LOCATOR]: { address: wrapData(base) } },
      },
    },
    crypto.randomUUID(),
  )
  await system.ended(operation.operationId)
  const { bundleInstallId } = installation.installation

  const page = await signIn('olivia')
  await page.goto(`/installations/${bundleInstallId}?action=upgrade&version=2.0.0`)
  await page.getByRole('textbox', { name: 'City' }).fill('Kiel')
  await page.getByRole('textbox', { name: 'Postal code' }).fill('24103')

  const theirs = { ...base, city: 'Lübeck', street: 'Broad Street 2' }
  const { snapshotVersion } = await system.call(platform, CONFIGURATION, { params: scope })
  const { operations } = await system.call(
    mira,
    'PATCH /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
    {
      params: scope,
      body: { snapshotVersion, changes: { [LOCATOR]: { address: wrapData(theirs) } } },
    },
    crypto.randomUUID(),
  )
  await system.ended(operations[0]?.operationId ?? '')

  const city = page.getByRole('group', { name: 'Address' }).getByRole('group', { name: 'City' })
  await expect(city).toContainText(/Hamburg.*Lübeck.*Kiel/s)
  await expect(page.getByText('Mira Castellan').first()).toBeVisible()
  const goOn = page.getByRole('button', { name: 'Continue on top of theirs' })
  await expect(goOn).toBeDisabled()
  await city.getByRole('radio', { name: /^Keep mine/ }).click()
  await goOn.click()
  await expect(page.getByRole('textbox', { name: 'City' })).toHaveValue('Kiel')
  await expect(page.getByRole('textbox', { name: 'Street' })).toHaveValue('Broad Street 2')
  await expect(page.getByRole('textbox', { name: 'Postal code' })).toHaveValue('24103')

  await page.getByRole('button', { name: 'Upgrade to 2.0.0' }).click()
  await expect
    .poll(async () => (await system.operations(scope, 'UPGRADE')).map(({ state }) => state))
    .toEqual(['SUCCEEDED'])
  const { resources } = await system.call(platform, CONFIGURATION, { params: scope })
  expect(resources[LOCATOR]?.properties['address']).toEqual(
    wrapData({ city: 'Kiel', street: 'Broad Street 2', zip: '24103' }),
  )
})

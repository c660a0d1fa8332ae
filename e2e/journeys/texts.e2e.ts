import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Locator, Page } from '@playwright/test'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import { data, plugin, secret } from '#plugin/examples/bundles/definitions.ts'
import { successOf } from '#runtime/testing/plugin.ts'
import { platform } from '../../demo/people.ts'
import { configurationPath, expectApplied, expectPage, save } from '../vocabulary.ts'
import type { System } from '../harness/system.ts'
import { expect, test } from '../harness/test.ts'

const lines = (of: string, end = '\n') =>
  [`-----BEGIN ${of}-----`, 'MIIBszCCAVmgAwIBAgIUQ2f+/xyz', 'AAAA==', `-----END ${of}-----`, ''].join(end)
const CERTIFICATE = lines('CERTIFICATE')
const KEY = lines('PRIVATE KEY')

test('certificates and private keys arrive at the plugin as they were pasted, wherever they are pasted', async ({
  system,
  signIn,
}) => {
  test.slow()
  await using received = await startRecorder()
  const bundle = { environmentKey: 'production', bundleId: `texts-${system.newScope().workspaceId}` }
  await publish(system, bundle, received.url)
  const scope = system.newScope()
  const place = `${scope.environmentKey}/${scope.applicationRuntimeId}/${scope.workspaceId}`

  const page = await signIn('olivia', '/installations')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('link', { name: 'Install bundle' }).first().click()
  await page.getByLabel('Environment, runtime, and workspace').fill(place)
  await page.getByRole('option', { name: place }).click()
  await page.getByLabel('Bundle', { exact: true }).fill(bundle.bundleId)
  await page.getByRole('option', { name: bundle.bundleId }).click()
  await page.getByLabel('Version', { exact: true }).selectOption('1.0.0')
  await fillAll(page, '1')
  await page.getByRole('button', { name: 'Install Texts 1.0.0' }).click()
  await expectPage(page, /^Install .* Succeeded$/)
  expect(received.values()).toEqual(valuesOf('1'))

  await page.goto(configurationPath(scope, `production/${bundle.bundleId}/MODULE/core`))
  await fillAll(page, '2')
  await save(page)
  await expectApplied(page)
  expect(received.values()).toEqual(valuesOf('2'))

  await page.goto(`/installations?bundleId=${bundle.bundleId}`)
  await page.getByRole('checkbox', { name: /^Select Texts/ }).click()
  const selection = page.getByRole('region', { name: 'Selection' })
  await selection.getByRole('button', { name: 'Set a property' }).click()
  const dialog = page.getByRole('dialog', { name: /^Set a property/ })
  await dialog.getByLabel('Property', { exact: true }).selectOption({ label: 'Core · Certificate' })
  await paste(page, dialog.getByRole('textbox', { name: 'Certificate' }), `3${CERTIFICATE}`)
  await expect(dialog).toContainText('1 will start')
  await dialog.getByRole('button', { name: /^Save in 1/ }).click()
  await expect(page.getByRole('row', { name: /Succeeded/ })).toHaveCount(1)
  expect(received.values()).toEqual({ ...valuesOf('2'), certificate: `3${CERTIFICATE}` })

  await page.goto(`/installations?bundleId=${bundle.bundleId}`)
  await page.getByRole('link', { name: 'Upgrade to 2.0.0' }).click()
  await paste(page, page.getByRole('textbox', { name: 'Chain' }), CERTIFICATE)
  await page.getByRole('button', { name: 'Upgrade to 2.0.0' }).click()
  await expectPage(page, /^Upgrade .* Succeeded$/)
  expect(received.values()).toEqual({
    ...valuesOf('2'),
    certificate: `3${CERTIFICATE}`,
    chain: CERTIFICATE,
  })
})

const valuesOf = (mark: string) => ({
  certificate: mark + CERTIFICATE,
  certificates: [`${mark}a${CERTIFICATE}`],
  endpoint: { ca: `${mark}b${CERTIFICATE}` },
  key: mark + KEY,
  windows: mark + lines('CERTIFICATE', '\r\n'),
})

/** Replaces every text of the form. */
async function fillAll(page: Page, mark: string): Promise<void> {
  const values = valuesOf(mark)
  await paste(page, page.getByRole('textbox', { name: 'Certificate', exact: true }), values.certificate)
  const list = page.getByRole('group', { name: 'Certificates' })
  const item = list.getByRole('textbox', { name: 'Item 1', exact: true })
  if ((await item.count()) === 0) await list.getByRole('button', { name: 'Add item' }).click()
  await paste(page, item, values.certificates[0] ?? '')
  await paste(page, page.getByRole('textbox', { name: 'Authority' }), values.endpoint.ca)
  await page.getByRole('button', { name: /^(Set value|Replace) / }).click()
  const key = page.getByRole('textbox', { name: 'Private key' })
  await paste(page, key, values.key)
  await expect(key).toHaveAccessibleDescription(/4 lines, \d+ characters, ends with a line break\./)
  await paste(page, page.getByRole('textbox', { name: 'From Windows' }), values.windows)
}

/** Replaces the text of a field by one from the clipboard. */
async function paste(page: Page, field: Locator, text: string): Promise<void> {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
  // not while it waits for the value of the targets
  await expect(field).toBeEditable()
  await field.click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.press('ControlOrMeta+V')
}

const PLUGIN_ID = 'texts-recorder'

/** A plugin that applies every call and keeps what it was sent last. */
async function startRecorder() {
  let last: LifecycleRequest | null = null
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    last = LifecycleRequest.parse(JSON.parse(Buffer.concat(chunks).toString()))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(successOf(last, { outcome: 'APPLIED' })))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/lifecycle`,
    values: () => {
      const [entry] = Object.values(last?.resources ?? {})
      return Object.fromEntries(
        Object.entries(entry?.properties ?? {}).flatMap(([name, value]) =>
          value['@type'] === 'Data' ? [[name, value.value]] : [],
        ),
      )
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** Publishes two versions of a bundle whose plugin reads all properties. */
async function publish(system: System, bundle: AuthorManifest['bundle'], endpoint: string): Promise<void> {
  await system.call(
    platform,
    'PUT /plugins/{pluginId}',
    {
      params: { pluginId: PLUGIN_ID },
      body: {
        title: 'Recorder',
        endpoint,
        enabled: true,
        maxAttempts: 3,
        maxBackoffMs: 1_000,
        timeoutMs: 3_000,
      },
    },
    randomUUID(),
  )
  // an install shows the others on request only
  const needed = { required: true }
  const first = {
    certificate: data({ type: 'string', title: 'Certificate' }, needed),
    certificates: data({ type: 'array', items: { type: 'string' }, title: 'Certificates' }, needed),
    endpoint: data(
      { type: 'object', title: 'Endpoint', properties: { ca: { type: 'string', title: 'Authority' } } },
      needed,
    ),
    key: secret({ type: 'string', title: 'Private key' }, needed),
    windows: data({ type: 'string', title: 'From Windows', maxLength: 10_000 }, needed),
  }
  const versions = {
    '1.0.0': first,
    '2.0.0': { ...first, chain: data({ type: 'string', title: 'Chain' }, needed) },
  }
  for (const [version, properties] of Object.entries(versions)) {
    const moduleId = `${bundle.bundleId}/core`
    const body: AuthorManifest = {
      bundle,
      version,
      title: 'Texts',
      resources: [{ kind: 'MODULE', name: 'core', title: 'Core', moduleId, properties }],
      plugins: [
        plugin(PLUGIN_ID, 10, [
          {
            object: { type: 'MODULE' as const, moduleId },
            readProperties: Object.keys(properties),
            writeProperties: [],
            credentialProperties: [],
          },
        ]),
      ],
    }
    await system.call(
      platform,
      'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
      { params: { ...bundle, version }, body },
      randomUUID(),
    )
  }
}

import canonicalize from 'canonicalize'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderConsole } from '../../testing/render.tsx'
import { serveScope } from '../../testing/served-scope.ts'
import { call, operation, timeout } from '../operations/detail/calls/testing.ts'

const timedOut = timeout()
const failed = operation(
  {
    state: 'FAILED',
    phase: 'AFTER_RESOURCES',
    failure: { ...timedOut.failure!, attemptsUsed: 3 },
    takesOver: '01900000-0000-7000-8000-000000000009',
    nextStep: { actor: 'PLUGIN_OWNER', action: 'CHECK_PLUGIN', since: timedOut.startedAt },
  },
  { after: [call('hooks', 20, [timedOut])] },
)

/** A receipt with the right digest, and with the signature of this key. */
async function receiptOf(bundleId: string, key?: CryptoKey, isChanged = false): Promise<File> {
  const installation = { ...failed.installation, bundle: { environmentKey: 'staging', bundleId } }
  const content = {
    format: 'bundle-console/operation-receipt',
    version: 1,
    exportedAt: '2026-11-21T10:00:00.000Z',
    exportedBy: { id: 'u1', name: 'Sam' },
    operation: { ...failed, installation },
  }
  const text = new TextEncoder().encode(`bundle-console operation receipt\n${await digestOf(content)}`)
  const signed = {
    ...content,
    ...(key && {
      signatures: [{ keyId: 'one', value: base64url(await crypto.subtle.sign('Ed25519', key, text)) }],
    }),
    ...(isChanged && { exportedBy: { id: 'u2', name: 'Eve' } }),
  }
  const receipt = { ...signed, sha256: await digestOf(signed) }
  return new File([JSON.stringify(receipt)], 'receipt.json', { type: 'application/json' })
}

async function digestOf(content: object): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalize(content))
  const digest = [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))]
  return digest.map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const base64url = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

test('a receipt is of this platform only with the signature of one of its keys', async () => {
  const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
  const { x = '' } = await crypto.subtle.exportKey('jwk', pair.publicKey)
  const key = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: 'one', x } as const
  await serveScope({ 'GET /platform-keys': () => ({ keys: [key] }) })
  await renderConsole('/receipt')
  const input = page.getByLabelText('Receipt file')
  await userEvent.upload(input, await receiptOf('one', pair.privateKey))
  await expect.element(page.getByText('This platform signed the receipt')).toBeVisible()
  await userEvent.upload(input, await receiptOf('two', pair.privateKey, true))
  await expect.element(page.getByText('The signature does not match')).toBeVisible()
  await userEvent.upload(input, await receiptOf('three'))
  await expect.element(page.getByText('The receipt is not signed')).toBeVisible()
})

test('a receipt describes the past, has no links and reads no operation', async () => {
  const { api } = await serveScope()
  await renderConsole('/receipt')
  const input = page.getByLabelText('Receipt file')
  await userEvent.upload(input, await receiptOf('support-desk'))
  const panel = page.getByRole('region', { name: 'Why it failed' })
  await expect
    .element(panel.getByText('All 3 attempts of run 1 had been used, and nothing was scheduled.'))
    .toBeVisible()
  await expect.element(panel.getByText('Next step at that time')).toBeVisible()
  await expect.element(panel.getByText('What to do')).not.toBeInTheDocument()
  const main = page.getByRole('main')
  expect(
    main
      .getByRole('link')
      .all()
      .map((link) => link.element().textContent),
  ).toEqual(['Operations'])
  expect(api.requests('GET /operations/{operationId}')).toEqual([])

  // the next file replaces the first one
  await userEvent.upload(input, await receiptOf('crm-suite'))
  await expect.element(page.getByRole('heading', { name: /crm-suite/ })).toBeVisible()
  await expect.element(page.getByRole('heading', { name: /support-desk/ })).not.toBeInTheDocument()
})

import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { wrapData } from '#contract/protocol/data.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { HISTORY, SNAPSHOT } from '../../../subjects/merge/changes-since.ts'
import { invalidateEndpoints } from '../../../api/query.ts'
import { queryClient } from '../../../app/query-client.ts'
import { refusal } from '../../../testing/api.ts'
import { changeRequestWith } from '../../../testing/change-request.ts'
import { installationDetail } from '../../../testing/installation.ts'
import { renderConsole } from '../../../testing/render.tsx'
import { MIRA, OLIVIA, serveScope } from '../../../testing/served-scope.ts'

const { installation } = installationDetail
const { environmentKey, applicationRuntimeId, workspaceId, bundleInstallId, bundle } = installation
const scope = { environmentKey, applicationRuntimeId, workspaceId }
const LOCATOR = 'production/crm/MODULE/main'
const DETAIL = 'GET /installations/{bundleInstallId}'
const EDIT = 'PATCH /change-requests/{changeRequestId}'
const SESSION = 'GET /session'
const SHARE = 'POST /change-requests'
const UPGRADE = 'POST /installations/{bundleInstallId}/upgrade'
const READ = 'GET /change-requests/{changeRequestId}'
const PLAIN = `/installations/${bundleInstallId}?action=upgrade&version=2.0.0`
const at = '2026-11-22T08:00:00.000Z'

const addressWith = (maxLength: number) => ({
  kind: 'DATA' as const,
  schema: {
    type: 'object',
    title: 'Address',
    properties: {
      city: { type: 'string', title: 'City', maxLength },
      zip: { type: 'string', title: 'Postal code' },
    },
    additionalProperties: false,
  },
})
const manifestOf = (version: string) => ({
  bundle,
  version,
  title: 'CRM',
  resources: [
    {
      kind: 'MODULE' as const,
      name: 'main',
      moduleId: 'main',
      title: 'Core',
      properties: { address: addressWith(version === '2.0.0' ? 40 : 80) },
    },
  ],
  plugins: [],
})
const detailAt = (snapshotVersion: number, address: JsonValue) => ({
  ...installationDetail,
  snapshotVersion,
  resources: [
    {
      locator: LOCATOR,
      title: 'Core',
      version: '1.0.0',
      verifiedAt: at,
      properties: { address: wrapData(address) },
      definitions: { address: addressWith(80) },
    },
  ],
})
const BEFORE = { city: 'Hamburg', zip: '20095' }

/** The upgrade form, and what others save while it is open. */
async function openUpgrade(edited?: ChangeRequestDetail) {
  const values = new Map<number, JsonValue>([[3, BEFORE]])
  const { api } = await serveScope({
    [DETAIL]: () => detailAt(3, BEFORE),
    'GET /bundles/{environmentKey}/{bundleId}/versions': () => ({
      items: ['2.0.0', '1.0.0'].map((version) => ({
        bundle,
        version,
        title: 'CRM',
        publishedAt: at,
        publishedBy: MIRA,
      })),
      nextCursor: null,
    }),
    'GET /bundles/{environmentKey}/{bundleId}/versions/{version}': ({ params }) =>
      manifestOf(String(params['version'])),
    'POST /installations/{bundleInstallId}/upgrade/plan': () => ({
      planToken: 'plan',
      operationType: 'UPGRADE',
      scope,
      installation,
      currentVersion: '1.0.0',
      targetVersion: '2.0.0',
      snapshotVersion: 3,
      claim: null,
      resources: [],
      changes: [],
      stages: [],
      problems: [],
    }),
    // what is sent is what is tested
    [UPGRADE]: () => refusal({}),
    [SHARE]: () => refusal({}),
    ...(edited && { [READ]: () => edited, [EDIT]: () => refusal({}) }),
    [SNAPSHOT]: ({ params }) => {
      const snapshotVersion = Number(params['snapshotVersion'])
      return {
        scope,
        snapshotVersion,
        savedAt: at,
        savedBy: MIRA,
        resources: {
          [LOCATOR]: {
            bundleInstallId,
            kind: 'MODULE',
            title: 'Core',
            properties: { address: wrapData(values.get(snapshotVersion) ?? null) },
            definitions: { address: addressWith(80) },
            writtenBy: {},
            claim: null,
          },
        },
      }
    },
    [HISTORY]: () => ({
      items: [...values.keys()].toReversed().map((snapshotVersion) => ({
        snapshotVersion,
        savedAt: at,
        savedBy: MIRA,
        reason: null,
        cause: 'SAVE' as const,
        operationId: null,
        operations: [],
        changes: [{ locator: LOCATOR, property: 'address', before: null, after: null }],
      })),
      nextCursor: null,
    }),
  })
  const change = edited ? `&change=${edited.changeRequestId}` : ''
  const screen = await renderConsole(`${PLAIN}${change}`)
  const save = async (snapshotVersion: number, address: JsonValue) => {
    values.set(snapshotVersion, address)
    api.answer({ [DETAIL]: () => detailAt(snapshotVersion, address) })
    await invalidateEndpoints(queryClient, [DETAIL])
  }
  const sent = () => api.requests(UPGRADE).map(({ body }) => body)
  const stored = () => api.requests(EDIT).map(({ body }) => body)
  const shared = () => api.requests(SHARE).map(({ body }) => body)
  return { screen, api, save, sent, stored, shared }
}

const city = page.getByRole('textbox', { name: 'City' })
const zip = page.getByRole('textbox', { name: 'Postal code' })
const submit = page.getByRole('button', { name: 'Upgrade to 2.0.0' })

test('what a colleague saves at another place of a value joins what is entered in an open upgrade form', async () => {
  const { save, sent } = await openUpgrade()
  await zip.fill('20457')
  await save(4, { ...BEFORE, city: 'Kiel' })
  await expect.element(city).toHaveValue('Kiel')
  await expect.element(zip).toHaveValue('20457')
  await submit.click()
  await expect.poll(sent).toMatchObject([
    {
      snapshotVersion: 4,
      properties: { [LOCATOR]: { address: wrapData({ city: 'Kiel', zip: '20457' }) } },
    },
  ])
})

test('a leaf that both changed is decided on, and keeps the upgrade waiting until then', async () => {
  const { save, sent } = await openUpgrade()
  await city.fill('Lübeck')
  await zip.fill('20457')
  await save(4, { city: 'Kiel', zip: BEFORE.zip })
  const conflict = page.getByRole('group', { name: 'Address' }).getByRole('group', { name: 'City' })
  await expect.element(conflict).toMatchTextContent(/Hamburg.*Kiel.*Lübeck/)
  await submit.click({ force: true })
  expect(sent()).toEqual([])
  const goOn = page.getByRole('button', { name: 'Continue on top of theirs' })
  await expect.element(goOn).toHaveAttribute('aria-disabled', 'true')
  await conflict.getByRole('radio', { name: /^Use theirs/ }).click()
  await goOn.click()
  await expect.element(city).toHaveValue('Kiel')
  // the other edit of the object is not lost
  await expect.element(zip).toHaveValue('20457')
  await submit.click()
  await expect.poll(sent).toMatchObject([{ snapshotVersion: 4 }])
})

test('the upgrade of a change request begins with its values, and is stored in it with those that it hides', async () => {
  const hidden = { '@type': 'Data' as const, isSensitive: true as const, isSet: true }
  const address = wrapData({ city: 'Kiel', zip: '24103' })
  const request = changeRequestWith({
    kind: 'UPGRADE',
    title: 'Upgrade CRM',
    scope,
    bundleInstallId,
    input: { targetVersion: '2.0.0', properties: { [LOCATOR]: { address, token: hidden } } },
  })
  const { stored, sent } = await openUpgrade(request)
  await expect.element(page.getByText(/1 hidden value stays as it is in the request/)).toBeVisible()
  await expect.element(city).toHaveValue('Kiel')
  await zip.fill('24105')
  await page.getByRole('button', { name: 'Save change request' }).click()
  await expect.poll(stored).toEqual([
    {
      kind: 'UPGRADE',
      revision: 3,
      reason: 'The pilot is over',
      input: {
        bundleInstallId,
        targetVersion: '2.0.0',
        properties: {
          [LOCATOR]: {
            address: wrapData({ city: 'Kiel', zip: '24105' }),
            token: { '@type': 'Data', isSensitive: true },
          },
        },
      },
    },
  ])
  expect(sent()).toEqual([])
})

const requestOf = (address: JsonValue, given: Partial<ChangeRequestDetail> = {}) =>
  changeRequestWith({
    kind: 'UPGRADE',
    scope,
    bundleInstallId,
    input: { targetVersion: '2.0.0', properties: { [LOCATOR]: { address: wrapData(address) } } },
    ...given,
  })
const kept = () =>
  Object.entries({ ...localStorage })
    .filter(([key]) => key.startsWith('bundle-console.operation-draft/'))
    .map(([, text]) => String(text))

test('the values of a request and the person’s own draft of the upgrade are kept apart', async () => {
  localStorage.clear()
  const request = requestOf({ city: 'Kiel', zip: '24103' })
  const { screen } = await openUpgrade(request)
  await expect.element(city).toHaveValue('Kiel')
  screen.goTo(PLAIN)
  await expect.element(city).toHaveValue('Hamburg')
  await zip.fill('20457')
  await expect.poll(kept).toEqual([expect.stringContaining('20457')])
  expect(kept().join()).not.toContain('Kiel')

  screen.goTo(`${PLAIN}&change=${request.changeRequestId}`)
  await expect.element(city).toHaveValue('Kiel')
  await expect.element(zip).toHaveValue('24103')
  // nothing of it is stored, so leaving would lose it
  await zip.fill('24105')
  screen.goTo(PLAIN)
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await expect.element(zip).toHaveValue('20457')
  await expect.element(city).toHaveValue('Hamburg')
  expect(kept().join()).not.toContain('24105')
})

test('a request with the title that it was given names the version that is chosen for it now', async () => {
  const titleOf = (version: string) =>
    `Upgrade: CRM ${version} in ${environmentKey}/${applicationRuntimeId}/${workspaceId}`
  const input = { targetVersion: '3.0.0' }
  const { stored } = await openUpgrade(requestOf(BEFORE, { title: titleOf('3.0.0'), input }))
  await page.getByRole('button', { name: 'Save change request' }).click()
  await expect.poll(stored).toMatchObject([{ title: titleOf('2.0.0') }])
})

test('a request that ends while it is edited does not become the person’s own upgrade', async () => {
  localStorage.clear()
  const request = requestOf({ city: 'Kiel', zip: '24103' })
  const { api, stored, sent } = await openUpgrade(request)
  await expect.element(city).toHaveValue('Kiel')
  api.answer({ [READ]: () => ({ ...request, state: 'WITHDRAWN', may: { ...request.may, edit: false } }) })
  await invalidateEndpoints(queryClient, [READ])
  await zip.fill('24105')
  await page.getByRole('button', { name: 'Save change request' }).click()
  await expect.poll(stored).toHaveLength(1)
  expect(sent()).toEqual([])
  expect(kept()).toEqual([])
})

test('a later visit begins with what others have stored in the request since', async () => {
  const request = requestOf({ city: 'Kiel', zip: '24103' })
  const { screen, api, stored } = await openUpgrade(request)
  await expect.element(city).toHaveValue('Kiel')
  screen.goTo(`/change-requests/${request.changeRequestId}`)
  await expect.element(city).not.toBeInTheDocument()
  screen.goTo(PLAIN)
  await expect.element(city).toBeVisible()

  const answered = Promise.withResolvers<void>()
  api.answer({
    [READ]: async () => {
      await answered.promise
      return requestOf({ city: 'Bonn', zip: '53111' }, { revision: 4 })
    },
  })
  await invalidateEndpoints(queryClient, [READ])
  screen.goTo(`${PLAIN}&change=${request.changeRequestId}`)
  await expect.element(city).not.toBeInTheDocument()
  answered.resolve()
  await expect.element(city).toHaveValue('Bonn')
  await zip.fill('53113')
  await page.getByRole('button', { name: 'Save change request' }).click()
  await expect.poll(stored).toMatchObject([{ revision: 4 }])
})

test('an upgrade is shared as a draft with what is entered, unless somebody has saved meanwhile', async () => {
  const { save, shared } = await openUpgrade()
  await zip.fill('20457')
  const share = page.getByRole('button', { name: 'Share draft' })
  await share.click()
  await expect.poll(shared).toMatchObject([
    {
      kind: 'UPGRADE',
      submit: false,
      input: {
        bundleInstallId,
        targetVersion: '2.0.0',
        properties: { [LOCATOR]: { address: wrapData({ ...BEFORE, zip: '20457' }) } },
      },
    },
  ])
  await save(4, { ...BEFORE, zip: '20999' })
  await expect.element(share).toHaveAccessibleDescription('The configuration has changed since you started')
})

test('without the permission to upgrade, that is the reason, even if somebody has saved meanwhile', async () => {
  const { api, save } = await openUpgrade()
  await zip.fill('20457')
  await save(4, { ...BEFORE, zip: '20999' })
  await expect.element(submit).toHaveAccessibleDescription('The configuration has changed since you started')
  api.answer({
    [SESSION]: () => ({
      user: OLIVIA,
      roles: ['viewer'],
      permissions: ['read'],
      grants: [{ permissions: ['read'], scope: null }],
      environmentMarks: [],
    }),
  })
  await invalidateEndpoints(queryClient, [SESSION])
  await expect
    .element(submit)
    .toHaveAccessibleDescription('You don’t have permission to upgrade in this scope.')
})

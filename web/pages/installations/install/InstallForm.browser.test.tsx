import { beforeEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Manifest } from '../../../subjects/manifest/writers.ts'
import { serveApi } from '../../../testing/api.ts'
import { changeRequestWith } from '../../../testing/change-request.ts'
import { renderConsole, renderInConsole } from '../../../testing/render.tsx'
import { serveScope } from '../../../testing/served-scope.ts'
import { MyDrafts } from '../../overview/MyDrafts.tsx'
import { fieldId } from '../../../forms/property/property-place.ts'
import { emptyInput } from '../../../subjects/operation-form/use-operation-form.ts'
import { InstallForm } from './InstallForm.tsx'

const text = (title: string) => ({ kind: 'DATA' as const, schema: { type: 'string', title } })
const manifest: Manifest = {
  bundle: { environmentKey: 'production', bundleId: 'crm' },
  version: '1.0.0',
  title: 'CRM',
  resources: [
    {
      kind: 'MODULE',
      name: 'main',
      moduleId: 'main',
      title: 'Core',
      properties: {
        name: { ...text('Name'), required: true },
        password: { ...text('Password'), isSensitive: true, required: true },
      },
    },
  ],
  plugins: [],
}
const open = () =>
  renderInConsole(<InstallForm manifest={manifest} scope={null} copy={null} input={emptyInput()} />)
const stored = () =>
  Object.keys(localStorage)
    .filter((key) => key.startsWith('bundle-console.operation-draft/'))
    .map((key) => localStorage.getItem(key) ?? '')
const name = page.getByRole('textbox', { name: 'Name', exact: true })
const secret = page.getByRole('group', { name: 'Password' }).first()
const password = page.getByRole('textbox', { name: 'Password' })

beforeEach(() => localStorage.clear())

test('the input is kept in the browser without sensitive values, restored, and discarded on request', async () => {
  await serveApi({})
  const first = await open()
  await userEvent.fill(name, 'Acme')
  await secret.getByRole('button', { name: 'Set value Password' }).click()
  await userEvent.fill(password, 'hunter2')
  await expect.poll(() => stored().length).toBe(1)
  expect(stored()[0]).toContain('Acme')
  expect(JSON.stringify({ ...localStorage })).not.toContain('hunter2')
  await first.unmount()

  const drafts = await renderInConsole(<MyDrafts />)
  const link = page.getByRole('link', { name: 'Installation of CRM' })
  await expect.element(link).toHaveAttribute('href', expect.stringContaining('bundleId=crm'))
  await drafts.unmount()

  await open()
  await expect.element(name).toHaveValue('Acme')
  await expect.element(secret.getByRole('button', { name: 'Set value Password' })).toBeVisible()
  await page.getByRole('button', { name: 'Discard it' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard it' }).click()
  await expect.element(name).toHaveValue('')
  await expect.poll(() => stored()).toEqual([])
})

test('buttons that are removed by their press leave the focus at the field, or at the form', async () => {
  await serveApi({})
  const first = await open()
  await userEvent.fill(name, 'Acme')
  page.getByRole('button', { name: 'Reset Name' }).element().focus()
  await userEvent.keyboard('{Enter}')
  await expect.element(name).toHaveValue('')
  await expect.element(name).toHaveFocus()
  await userEvent.fill(name, 'Acme')
  await expect.poll(() => stored().length).toBe(1)
  await first.unmount()

  await open()
  await expect.element(name).toHaveValue('Acme')
  page.getByRole('button', { name: 'Discard it' }).element().focus()
  await userEvent.keyboard('{Enter}')
  await page.getByRole('dialog').getByRole('button', { name: 'Discard it' }).click()
  await expect.element(name).toHaveValue('')
  expect(document.activeElement).not.toBe(document.body)
})

test('what is ticked of a copied configuration is kept with the input, and discarded with it', async () => {
  await serveApi({})
  const [main] = manifest.resources
  if (main === undefined) throw new Error('There is no resource')
  const home: Manifest = {
    ...manifest,
    resources: [{ ...main, properties: { home: text('Home') } }],
  }
  const from = { environmentKey: 'staging', applicationRuntimeId: 'eu', workspaceId: 9 }
  const last = new Map([
    [
      fieldId('production/crm/MODULE/main', 'home'),
      { '@type': 'Data' as const, value: 'at staging/eu/9 since 2020' },
    ],
  ])
  const copy = { bundleInstallId: 'detached', from, last, isRefused: false }
  const openCopy = () =>
    renderInConsole(<InstallForm manifest={home} scope={null} copy={copy} input={emptyInput()} />)
  const first = await openCopy()
  const box = page.getByRole('checkbox', { name: 'Home · Core' })
  await expect.element(box).not.toBeChecked()
  await box.click()
  await expect.poll(() => stored().length).toBe(1)
  await first.unmount()

  await openCopy()
  await expect.element(box).toBeChecked()
  await page.getByRole('button', { name: 'Discard it' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard it' }).click()
  await expect.element(box).not.toBeChecked()
  await expect.poll(() => stored()).toEqual([])
})

test('form and document show the same input, and neither loses what the other has', async () => {
  await serveApi({})
  await open()
  await page.getByRole('button', { name: 'JSON beside the form' }).click()
  const document = page.getByRole('textbox', { name: 'Values as JSON' })
  const shown = () =>
    [...document.element().querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n')
  const MAIN = 'production/crm/MODULE/main'
  await userEvent.fill(name, 'Acme')
  await expect.poll(() => JSON.parse(shown()) as unknown).toEqual({ [MAIN]: { name: 'Acme' } })
  await document.fill(JSON.stringify({ [MAIN]: { name: 'Bolt', password: 'hunter2' } }))
  await expect.element(name).toHaveValue('Bolt')
  // what was typed in the form since is newer; a secret is not shown
  await userEvent.fill(name, 'Crate')
  await expect
    .poll(() => JSON.parse(shown()) as unknown)
    .toEqual({ [MAIN]: { name: 'Crate', password: { '@type': 'Data', isSensitive: true } } })
  await document.fill(JSON.stringify({ [MAIN]: { name: 7, other: 1 } }))
  await expect.element(page.getByText('2 problems prevent saving')).toBeVisible()
  await document.fill(JSON.stringify({ [MAIN]: {} }))
  await expect.element(name).toHaveValue('')
  await page.getByRole('button', { name: 'JSON beside the form' }).click()
  await expect.element(document).not.toBeInTheDocument()
})

test('what is entered in the form is newer than text of the document that the form does not have yet', async () => {
  await serveApi({})
  await open()
  await page.getByRole('button', { name: 'JSON beside the form' }).click()
  const document = page.getByRole('textbox', { name: 'Values as JSON' })
  await userEvent.fill(name, 'Acme')
  await expect.element(document).toMatchTextContent(/Acme/)
  const half = '{ "production/crm/MODULE/main": { "name": "Acme"'
  await document.fill(half)
  await expect.element(page.getByRole('button', { name: 'Line 1' })).toBeVisible()
  await userEvent.fill(name, 'Bolt')
  await document.fill(`${half}, "password": "hunter2" } }`)
  await expect.element(document).toMatchTextContent(/"name": "Bolt"/)
  await expect.element(document).toMatchTextContent(/"isSensitive": true/)
  await expect.element(name).toHaveValue('Bolt')
})

test('an install is shared as a draft before its values are complete, and then no longer kept in the browser', async () => {
  const make = 'POST /change-requests'
  const made = changeRequestWith({ kind: 'INSTALL', state: 'DRAFT' })
  const permissions = ['installation:install', 'change:propose'] as const
  const api = await serveApi({
    'GET /session': () => ({
      user: { id: 'olivia', name: 'Olivia' },
      roles: ['operator'],
      permissions: [...permissions],
      grants: [{ permissions: [...permissions], scope: null }],
      environmentMarks: [],
    }),
    [make]: () => ({ changeRequest: made }),
  })
  const scope = { environmentKey: 'production', applicationRuntimeId: 'eu', workspaceId: 1 }
  const screen = await renderInConsole(
    <InstallForm manifest={manifest} scope={scope} copy={null} input={emptyInput()} />,
  )
  await userEvent.fill(name, 'Acme')
  await expect.poll(() => stored().length).toBe(1)
  await page.getByRole('button', { name: 'Share draft' }).click()
  await expect.poll(screen.address).toBe(`/change-requests/${made.changeRequestId}`)
  expect(api.requests(make).map(({ body }) => body)).toEqual([
    {
      kind: 'INSTALL',
      title: 'Install: CRM 1.0.0 in production/eu/1',
      submit: false,
      input: {
        scope,
        bundle: manifest.bundle,
        targetVersion: '1.0.0',
        properties: { 'production/crm/MODULE/main': { name: { '@type': 'Data', value: 'Acme' } } },
      },
    },
  ])
  expect(stored()).toEqual([])
})

test('the values of a request and the person’s own draft of the install are kept apart', async () => {
  const request = changeRequestWith({
    kind: 'INSTALL',
    input: {
      bundle: manifest.bundle,
      targetVersion: '1.0.0',
      properties: { 'production/crm/MODULE/main': { name: { '@type': 'Data', value: 'Theirs' } } },
    },
  })
  await serveScope({
    'GET /change-requests/{changeRequestId}': () => request,
    'GET /bundles/{environmentKey}/{bundleId}/versions/{version}': () => manifest,
  })
  const plain = '/installations/new?bundleEnvironmentKey=production&bundleId=crm&version=1.0.0'
  const screen = await renderConsole(`${plain}&change=${request.changeRequestId}`)
  await expect.element(name).toHaveValue('Theirs')
  screen.goTo(plain)
  await expect.element(name).toHaveValue('')
  await name.fill('Mine')
  await expect.poll(() => stored().length).toBe(1)
  screen.goTo(`${plain}&change=${request.changeRequestId}`)
  await expect.element(name).toHaveValue('Theirs')
  expect(stored().join()).toContain('Mine')
  expect(stored().join()).not.toContain('Theirs')
})

test('a link to a request that was applied says that what is entered is not part of it', async () => {
  const request = changeRequestWith({
    kind: 'INSTALL',
    state: 'APPLIED',
    may: { edit: false, approve: false, reject: false, apply: false, override: false },
  })
  await serveScope({
    'GET /change-requests/{changeRequestId}': () => request,
    'GET /bundles/{environmentKey}/{bundleId}/versions/{version}': () => manifest,
  })
  const plain = '/installations/new?bundleEnvironmentKey=production&bundleId=crm&version=1.0.0'
  const screen = await renderConsole(`${plain}&change=${request.changeRequestId}`)
  await expect.element(page.getByText('This change request can’t be edited here')).toBeVisible()
  await page.getByRole('link', { name: 'Open the change request' }).click()
  await expect.poll(screen.address).toBe(`/change-requests/${request.changeRequestId}`)
})

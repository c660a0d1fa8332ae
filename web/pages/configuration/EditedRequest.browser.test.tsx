import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { invalidateEndpoints } from '../../api/query.ts'
import { queryClient } from '../../app/query-client.ts'
import type { ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { refusal } from '../../testing/api.ts'
import { changeRequestWith } from '../../testing/change-request.ts'
import { renderConsole, renderInConsole } from '../../testing/render.tsx'
import { MyDrafts } from '../overview/MyDrafts.tsx'
import { CONFIGURATION, MAIL, MIRA, OLIVIA, PLAN, serveScope } from '../../testing/served-scope.ts'

const field = (name: string) => page.getByRole('textbox', { name })
const EDIT = 'PATCH /change-requests/{changeRequestId}'
const requestWith = (port: number, given: Partial<ChangeRequestDetail> = {}) =>
  changeRequestWith({
    kind: 'CONFIGURE',
    input: { changes: { [MAIL]: { smtpPort: { '@type': 'Data', value: port } } } },
    ...given,
  })

/** What the browser keeps of a request. */
const keptOf = ({ changeRequestId }: ChangeRequestDetail) =>
  Object.keys({ ...localStorage }).filter((key) => key.includes(`/${changeRequestId}`))
const fullStorage = () =>
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })

test.each([
  ['', false],
  [', in memory while the storage is full', true],
])('the draft of a request and the person’s own draft of the scope are kept apart%s', async (_, isFull) => {
  if (isFull) fullStorage()
  const request = requestWith(2525)
  const scope = await serveScope({ 'GET /change-requests/{changeRequestId}': () => request })
  const address = scope.address(MAIL)
  const own = await renderConsole(address)
  await field('SMTP host').fill('own.example')
  await expect.element(page.getByText('1 change', { exact: true })).toBeVisible()
  await own.unmount()

  const edited = await renderConsole(`${address}&change=${request.changeRequestId}`)
  await expect.element(field('SMTP port')).toHaveValue('2525')
  await expect.element(field('SMTP host')).not.toHaveValue('own.example')
  await field('SMTP port').fill('4444')
  await expect.element(page.getByText('1 change', { exact: true })).toBeVisible()
  await edited.unmount()

  const plain = await renderConsole(address)
  await expect.element(field('SMTP host')).toHaveValue('own.example')
  await expect.element(field('SMTP port')).not.toHaveValue('4444')
  await plain.unmount()

  await renderConsole(`${address}&change=${request.changeRequestId}`)
  await expect.element(page.getByText(/You are editing the change request/)).toBeVisible()
  await expect.element(field('SMTP port')).toHaveValue('4444')
  vi.restoreAllMocks()
})

test('the browser keeps nothing of a request until something is changed, and nothing once that is discarded', async () => {
  const request = requestWith(2525)
  const scope = await serveScope({ 'GET /change-requests/{changeRequestId}': () => request })
  await renderConsole(`${scope.address(MAIL)}&change=${request.changeRequestId}`)
  await expect.element(field('SMTP port')).toHaveValue('2525')
  expect(keptOf(request)).toEqual([])
  await field('SMTP host').fill('own.example')
  // both edits, when they began, and what the request asked for
  await expect.poll(() => keptOf(request)).toHaveLength(4)
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
  await expect.poll(() => keptOf(request)).toEqual([])
})

test('nothing can be entered before the request has been read, which is tried again on demand', async () => {
  const request = requestWith(2525)
  const answered = Promise.withResolvers<undefined>()
  const unavailable = refusal({ status: 500, code: 'INTERNAL_ERROR', message: 'It failed.' })
  const { api, address, saveRequests } = await serveScope({
    'GET /change-requests/{changeRequestId}': async () => {
      await answered.promise
      return unavailable
    },
  })
  await renderConsole(`${address(MAIL)}&change=${request.changeRequestId}`)
  await expect.poll(() => queryClient.isFetching({ queryKey: [CONFIGURATION] })).toBe(0)
  await expect.element(page.getByRole('main').getByRole('status', { name: /^Loading/ })).toBeVisible()
  await expect.element(field('SMTP port')).not.toBeInTheDocument()
  answered.resolve(undefined)
  await expect.element(page.getByRole('button', { name: 'Try again' })).toBeVisible()
  await expect.element(field('SMTP port')).not.toBeInTheDocument()
  api.answer({ 'GET /change-requests/{changeRequestId}': () => request })
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect.element(field('SMTP port')).toHaveValue('2525')
  expect(saveRequests()).toEqual([])
})

test('a request that has ended is the beginning of a new one, without its secrets', async () => {
  const request = changeRequestWith({
    kind: 'CONFIGURE',
    state: 'REJECTED',
    input: {
      changes: {
        [MAIL]: {
          smtpPort: { '@type': 'Data', value: 2525 },
          smtpPassword: { '@type': 'Data', isSensitive: true, isSet: true },
        },
      },
    },
    may: { edit: false, approve: false, reject: false, apply: false, override: false },
  })
  const { api, address } = await serveScope({
    'GET /change-requests/{changeRequestId}': () => request,
    'POST /change-requests': () => ({ changeRequest: request }),
  })
  await renderConsole(`${address(MAIL)}&change=${request.changeRequestId}`)
  await expect.element(page.getByText(/You are starting again from the change request/)).toBeVisible()
  await expect.element(page.getByText(/Enter its 1 sensitive value again/)).toBeVisible()
  await expect.element(field('SMTP port')).toHaveValue('2525')
  await page.getByRole('button', { name: 'Review', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Share draft' }).click()
  await expect.poll(() => api.requests('POST /change-requests')).toHaveLength(1)
  expect(api.requests('POST /change-requests')[0]?.body).toMatchObject({
    input: { changes: { [MAIL]: { smtpPort: { '@type': 'Data', value: 2525 } } } },
  })
  expect(api.requests(EDIT)).toEqual([])
})

test.each(['OPEN', 'REJECTED'] as const)(
  'a link fills the form of no other scope with a request: %s',
  async (state) => {
    const scope = { environmentKey: 'staging', applicationRuntimeId: 'eu', workspaceId: 1 }
    const request = requestWith(2525, { state, scope })
    const { address } = await serveScope({ 'GET /change-requests/{changeRequestId}': () => request })
    await renderConsole(`${address(MAIL)}&change=${request.changeRequestId}`)
    await expect.element(page.getByRole('link', { name: 'Open the change request' })).toBeVisible()
    await expect.element(page.getByText(/You are (editing|starting again)/)).not.toBeInTheDocument()
    await expect.element(field('SMTP port')).not.toHaveValue('2525')
  },
)

test('what others have stored in a request since an earlier visit is merged with what was left there', async () => {
  let request = requestWith(2525)
  const scope = await serveScope({ 'GET /change-requests/{changeRequestId}': () => request })
  const address = `${scope.address(MAIL)}&change=${request.changeRequestId}`
  const first = await renderConsole(address)
  await expect.element(field('SMTP port')).toHaveValue('2525')
  await field('SMTP host').fill('own.example')
  await expect.element(page.getByText('2 changes', { exact: true })).toBeVisible()
  await first.unmount()
  // as after a reload
  queryClient.clear()

  request = requestWith(465, {
    revision: 4,
    history: [
      {
        number: 4,
        at: '2026-11-22T09:00:00.000Z',
        by: { id: 'oscar', name: 'Oscar' },
        event: 'EDITED',
        text: null,
        target: null,
        revision: 4,
      },
    ],
  })
  await renderConsole(address)
  await expect.element(page.getByText('Oscar has edited this request too')).toBeVisible()
  await expect.element(field('SMTP port')).toHaveValue('465')
  await expect.element(field('SMTP host')).toHaveValue('own.example')
})

test('an edit of somebody else is announced where its notice is out of sight', async () => {
  await page.viewport(360, 480)
  let request = requestWith(2525)
  const scope = await serveScope({ 'GET /change-requests/{changeRequestId}': () => request })
  await renderConsole(`${scope.address(MAIL)}&change=${request.changeRequestId}`)
  await expect.element(field('SMTP port')).toHaveValue('2525')
  await field('SMTP host').fill('own.example')
  document.scrollingElement?.scrollTo(0, document.scrollingElement.scrollHeight)
  request = requestWith(465, { revision: 4 })
  await invalidateEndpoints(queryClient, ['GET /change-requests/{changeRequestId}'])
  await expect.element(field('SMTP port')).toHaveValue('465')
  const merged = page.getByText('Mira has edited this request too')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await expect.element(merged.first()).toBeInViewport()
  await page.viewport(1280, 800)
})

test('what is changed in a request is listed among the unsaved changes, with a link to its editor', async () => {
  localStorage.clear()
  const request = requestWith(2525)
  const scope = await serveScope({ 'GET /change-requests/{changeRequestId}': () => request })
  const address = `${scope.address(MAIL)}&change=${request.changeRequestId}`
  const editor = await renderConsole(address)
  await expect.element(field('SMTP port')).toHaveValue('2525')
  await field('SMTP host').fill('own.example')
  await expect.element(page.getByText('2 changes', { exact: true })).toBeVisible()
  await editor.unmount()

  await renderInConsole(<MyDrafts />)
  const link = page.getByRole('link', { name: `Change request in ${scopeText(scope.configuration().scope)}` })
  await expect.element(link).toHaveAttribute('href', expect.stringContaining(request.changeRequestId))
})

test('where others have saved a hidden value that the request changes too, the person chooses which one stays', async () => {
  const hidden = { '@type': 'Data' as const, isSensitive: true as const, isSet: true }
  const conflict = { locator: MAIL, base: hidden, theirs: hidden, mine: hidden }
  const request = requestWith(2525, {
    state: 'CONFLICTED',
    input: { changes: { [MAIL]: { imapToken: hidden, smtpToken: hidden, imapPassword: hidden } } },
    conflicts: [
      { ...conflict, property: 'imapToken' },
      { ...conflict, property: 'smtpToken' },
    ],
  })
  const scope = await serveScope({
    'GET /change-requests/{changeRequestId}': () => request,
    [EDIT]: () => ({ changeRequest: request }),
  })
  const screen = await renderConsole(`${scope.address(MAIL)}&change=${request.changeRequestId}`)
  await expect.element(page.getByText(/1 hidden value stays as it is in the request/)).toBeVisible()
  // it has no value that the draft could show, so it is saved here
  const save = page.getByRole('button', { name: 'Save change request' })
  await expect.element(save).toHaveAccessibleDescription('Choose which hidden values to keep first.')
  const choose = (property: string, side: RegExp) =>
    page.getByRole('group', { name: property }).getByRole('radio', { name: side }).click()
  await choose('imapToken', /^Use theirs/)
  await choose('smtpToken', /^Keep mine/)
  await save.click()
  await expect.poll(screen.address).toBe(`/change-requests/${request.changeRequestId}`)
  const kept = { '@type': 'Data', isSensitive: true }
  expect(scope.api.requests(EDIT).map(({ body }) => body)).toMatchObject([
    { input: { changes: { [MAIL]: { smtpToken: kept, imapPassword: kept } } } },
  ])
  expect(JSON.stringify(scope.api.requests(EDIT))).not.toContain('imapToken')
})

test('a resource that the scope no longer has can be left out of the request, or kept in it', async () => {
  const hidden = { '@type': 'Data' as const, isSensitive: true as const, isSet: true }
  const gone = 'production/crm/MODULE/gone'
  const request = requestWith(2525, {
    state: 'CONFLICTED',
    input: { changes: { [gone]: { mailGateway: hidden, port: hidden } } },
    conflicts: [{ locator: gone, property: 'mailGateway', base: hidden, theirs: null, mine: hidden }],
  })
  const scope = await serveScope({
    'GET /change-requests/{changeRequestId}': () => request,
    [EDIT]: () => ({ changeRequest: request }),
  })
  const screen = await renderConsole(`${scope.address(MAIL)}&change=${request.changeRequestId}`)
  await expect
    .element(page.getByText('This request changes resources that are no longer in this scope'))
    .toBeVisible()
  const choose = (property: string, side: RegExp) =>
    page
      .getByRole('group', { name: `${gone} ${property}` })
      .getByRole('radio', { name: side })
      .click()
  await choose('mailGateway', /^Leave it out/)
  await choose('port', /^Keep mine/)
  await page.getByRole('button', { name: 'Save change request' }).click()
  await expect.poll(screen.address).toBe(`/change-requests/${request.changeRequestId}`)
  const kept = { '@type': 'Data', isSensitive: true }
  expect(scope.api.requests(EDIT).map(({ body }) => body)).toMatchObject([
    { input: { changes: { [gone]: { port: kept } } } },
  ])
  expect(JSON.stringify(scope.api.requests(EDIT))).not.toContain('mailGateway')
})

test('one notice names both hidden values that others saved and resources that are gone', async () => {
  const hidden = { '@type': 'Data' as const, isSensitive: true as const, isSet: true }
  const gone = 'production/crm/MODULE/gone'
  const request = requestWith(2525, {
    state: 'CONFLICTED',
    input: { changes: { [MAIL]: { imapToken: hidden }, [gone]: { port: hidden } } },
    conflicts: [{ locator: MAIL, property: 'imapToken', base: hidden, theirs: hidden, mine: hidden }],
  })
  const scope = await serveScope({ 'GET /change-requests/{changeRequestId}': () => request })
  await renderConsole(`${scope.address(MAIL)}&change=${request.changeRequestId}`)
  await expect
    .element(page.getByText(/hidden values that others have saved, and resources that are no longer/))
    .toBeVisible()
})

test('who may reject a request is told that an edit makes them one of its authors', async () => {
  const may = { edit: true, approve: true, reject: true, apply: false, override: false }
  const request = requestWith(2525, { may })
  const scope = await serveScope({ 'GET /change-requests/{changeRequestId}': () => request })
  await renderConsole(`${scope.address(MAIL)}&change=${request.changeRequestId}`)
  await expect.element(page.getByText(/Once you have saved it, you can’t approve it/)).toBeVisible()
})

test('so is a reviewer who continues the draft of somebody else, but not its author', async () => {
  const scope = await serveScope()
  const open = (createdBy: ChangeRequestDetail['createdBy']) => {
    const request = requestWith(2525, { state: 'DRAFT', scope: scope.configuration().scope, createdBy })
    scope.api.answer({ 'GET /change-requests/{changeRequestId}': () => request })
    return renderConsole(`${scope.address(MAIL)}&change=${request.changeRequestId}`)
  }
  const warning = page.getByText(/Once you have saved it, you can’t approve it/)
  const first = await open(MIRA)
  await expect.element(warning).toBeVisible()
  await first.unmount()
  queryClient.clear()
  await open(OLIVIA)
  await expect.element(page.getByText(/You are editing the change request/)).toBeVisible()
  expect(warning.elements()).toEqual([])
})

test('a request is edited while an operation runs, because it is applied later', async () => {
  const request = requestWith(2525)
  const scope = await serveScope({
    'GET /change-requests/{changeRequestId}': () => request,
    'GET /operations': () => ({ items: [], nextCursor: null }),
    [EDIT]: () => ({ changeRequest: request }),
  })
  scope.api.answer({
    [CONFIGURATION]: () => {
      const { resources, ...rest } = scope.configuration()
      const claim = {
        operationId: '01920000-0000-7000-8000-0000000000aa',
        operationType: 'CONFIGURE' as const,
        state: 'RUNNING' as const,
        since: rest.savedAt,
        requestedBy: OLIVIA,
      }
      return { ...rest, resources: { ...resources, [MAIL]: { ...resources[MAIL]!, claim } } }
    },
  })
  await renderConsole(`${scope.address(MAIL)}&change=${request.changeRequestId}`)
  await expect.element(field('SMTP port')).toHaveValue('2525')
  // neither does it lock what the request does not change yet
  await field('SMTP host').fill('own.example')
  expect(page.getByText('Locked').elements()).toEqual([])
  await userEvent.keyboard('{Control>}s{/Control}')
  await page.getByRole('dialog').getByRole('button', { name: 'Save change request' }).click()
  await expect.poll(() => scope.api.requests(EDIT)).toHaveLength(1)
  expect(scope.api.requests(EDIT)[0]?.body).toMatchObject({
    input: { changes: { [MAIL]: { smtpPort: { value: 2525 }, smtpHost: { value: 'own.example' } } } },
  })
})

test('the values of a request are in the form, also if the session arrives after them', async () => {
  const request = requestWith(2525)
  const scope = await serveScope({
    'GET /change-requests/{changeRequestId}': () => request,
    'GET /session': async () => {
      // the rest takes less, but nothing is in the form of nobody
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      return {
        user: OLIVIA,
        roles: ['operator'],
        permissions: [...PERMISSIONS],
        grants: [{ permissions: [...PERMISSIONS], scope: null }],
        environmentMarks: [],
      }
    },
  })
  await renderConsole(`${scope.address(MAIL)}&change=${request.changeRequestId}`)
  await expect.element(page.getByText(OLIVIA.name)).toBeVisible()
  await expect.element(field('SMTP port')).toHaveValue('2525')
})

test('the review of an edited request says what it would do, and its title names the properties again', async () => {
  const { configuration, ...scope } = await serveScope({
    'GET /change-requests/{changeRequestId}': () => request,
    [EDIT]: () => ({ changeRequest: request }),
  })
  const where = scopeText(configuration().scope)
  const request = requestWith(2525, { title: `Change SMTP port in ${where}` })
  scope.api.answer({
    [PLAN]: (call) => ({
      ...scope.plan(call),
      problems: [{ errorCode: 'APPROVAL_REQUIRED', message: 'An approval is required.' }],
    }),
  })
  await renderConsole(`${scope.address(MAIL)}&change=${request.changeRequestId}`)
  await expect.element(field('SMTP port')).toHaveValue('2525')
  await field('SMTP host').fill('own.example')
  await userEvent.keyboard('{Control>}s{/Control}')
  const review = page.getByRole('dialog', { name: 'Review changes' })
  await expect.element(review.getByText(/^What the change request would do on top of snapshot/)).toBeVisible()
  await expect.element(review.getByText('own.example')).toBeVisible()
  expect(review.getByText('This environment requires an approved change request').elements()).toEqual([])
  await review.getByRole('button', { name: 'Save change request' }).click()
  await expect.poll(() => scope.api.requests(EDIT)).toHaveLength(1)
  expect(scope.api.requests(EDIT)[0]?.body).toMatchObject({
    title: `Change SMTP port and 1 more in ${where}`,
  })
})

import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { showToast } from '../../../ui/toast.ts'
import { renderConsole } from '../../../testing/render.tsx'
import { changeRequestWith } from '../../../testing/change-request.ts'
import { lostAnswer } from '../../../testing/api.ts'
import { CONFIGURATION, MAIL, PLAN, SAVE, serveScope } from '../../../testing/served-scope.ts'

const field = (name: string) => page.getByRole('textbox', { name })

test('the review lists problems and changes in the order of the form, and says what the form says', async () => {
  const scope = await serveScope()
  const own = scope.configuration()
  const mail = own.resources[MAIL]
  const host = mail?.definitions['smtpHost']
  if (mail === undefined || host === undefined) throw new Error('The scope has no host')
  const definitions = {
    ...mail.definitions,
    smtpHost: {
      ...host,
      required: true,
      schema: { type: 'string' as const, title: 'SMTP host', minLength: 1 },
    },
  }
  scope.api.answer({
    [CONFIGURATION]: () => ({ ...own, resources: { ...own.resources, [MAIL]: { ...mail, definitions } } }),
    [PLAN]: (request) => ({
      ...scope.plan(request),
      problems: [
        {
          locator: MAIL,
          property: 'smtpHost',
          errorCode: 'PROPERTY_INVALID',
          message: 'Must be a host name',
        },
      ],
    }),
  })
  await renderConsole(scope.address(MAIL))
  await field('SMTP port').fill('99999999')
  await field('SMTP host').fill('')
  await userEvent.keyboard('{Control>}s{/Control}')
  const review = page.getByRole('dialog', { name: 'Review changes' })
  await expect.element(review.getByText('Must be a host name')).not.toBeInTheDocument()
  const names = () =>
    review
      .getByRole('button', { name: /CRM mail · / })
      .elements()
      .map((button) => button.textContent)
  await expect.poll(names).toEqual(['CRM mail · SMTP host', 'CRM mail · SMTP port'])
  const changes = review.getByLabelText('Changes of CRM mail')
  await expect.element(changes).toMatchTextContent(/SMTP host.*Enter a value.*SMTP port/s)
})

test('a toast does not cover the bar of the changes', async () => {
  const scope = await serveScope()
  await renderConsole(scope.address(MAIL))
  await field('SMTP port').fill('2525')
  const bar = page.getByRole('region', { name: 'Unsaved changes' })
  await expect.element(bar).toBeVisible()
  showToast({ text: 'Downloaded' })
  const toast = page.getByText(/^Downloaded/)
  await expect.element(toast).toBeVisible()
  const bottom = () => toast.element().getBoundingClientRect().bottom
  await expect.poll(() => bottom() <= bar.element().getBoundingClientRect().top).toBe(true)
})

test('while the browser believes that it is offline, the review says so instead of waiting', async () => {
  const scope = await serveScope()
  await renderConsole(scope.address(MAIL))
  await field('SMTP port').fill('2525')
  scope.api.answer({ [PLAN]: () => lostAnswer })
  dispatchEvent(new Event('offline'))
  try {
    await userEvent.keyboard('{Control>}s{/Control}')
    const review = page.getByRole('dialog', { name: 'Review changes' })
    await expect.element(review.getByRole('button', { name: 'Try again' })).toBeVisible()

    scope.api.answer({ [PLAN]: scope.plan, [SAVE]: () => lostAnswer })
    // the review that failed asks again by itself, so its button may be gone
    await review.getByRole('button', { name: 'Back to form' }).click()
    await userEvent.keyboard('{Control>}s{/Control}')
    await review.getByRole('button', { name: 'Save and start 1 operation' }).click()
    await expect.element(page.getByText('The response to your save was lost')).toBeVisible()
  } finally {
    dispatchEvent(new Event('online'))
  }
})

test('where a policy requires an approval, a draft can be shared before its review is requested', async () => {
  const making = Promise.withResolvers<void>()
  const needed = { errorCode: 'APPROVAL_REQUIRED' as const, message: 'An approval is required.' }
  const scope = await serveScope({
    'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/restrictions': () => ({
      items: [{ ...needed, parameters: {}, kind: 'CONFIGURE', until: null, blocksRecovery: false }],
    }),
    'POST /change-requests': async () => {
      await making.promise
      return { changeRequest: changeRequestWith({ kind: 'CONFIGURE', state: 'DRAFT' }) }
    },
  })
  scope.api.answer({
    [PLAN]: (request) => ({
      ...scope.plan(request),
      problems: [needed],
    }),
  })
  await renderConsole(scope.address(MAIL))
  await field('SMTP port').fill('2525')
  await userEvent.keyboard('{Control>}s{/Control}')
  const review = page.getByRole('dialog', { name: 'Review changes' })
  const submit = review.getByRole('button', { name: 'Request review' })
  await expect.element(submit).toBeEnabled()
  // it is said once, with the choice to override it
  await expect.element(review.getByText(needed.message)).toBeVisible()
  expect(review.getByText('This environment requires an approved change request').elements()).toEqual([])
  const share = review.getByRole('button', { name: 'Share draft' })
  await share.click()
  // only the button that was pressed is busy, but neither sends a second one
  await expect.element(share).toHaveAttribute('aria-busy', 'true')
  await expect.element(submit).not.toHaveAttribute('aria-busy')
  await expect.element(submit).toBeDisabled()
  await submit.click({ force: true })
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  making.resolve()
  await expect.element(review).not.toBeInTheDocument()
  expect(scope.api.requests('POST /change-requests').map(({ body }) => body)).toMatchObject([
    { submit: false },
  ])
})

test('while changes are frozen, a draft can be shared although it cannot be saved', async () => {
  const made = changeRequestWith({ kind: 'CONFIGURE', state: 'DRAFT' })
  const frozen = {
    kind: 'CONFIGURE' as const,
    errorCode: 'CHANGES_FROZEN',
    message: 'Changes are frozen until someone ends the freeze: Year-end closing',
    parameters: { reason: 'changesFrozenForGood', text: 'Year-end closing' },
    until: null,
    blocksRecovery: false,
  }
  const scope = await serveScope({
    'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/restrictions': () => ({
      items: [frozen],
    }),
    'POST /change-requests': () => ({ changeRequest: made }),
  })
  scope.api.answer({
    [PLAN]: (request) => ({
      ...scope.plan(request),
      problems: [{ errorCode: frozen.errorCode, message: frozen.message, parameters: frozen.parameters }],
    }),
  })
  const screen = await renderConsole(scope.address(MAIL))
  await field('SMTP port').fill('2525')
  await userEvent.keyboard('{Control>}s{/Control}')
  const review = page.getByRole('dialog', { name: 'Review changes' })
  const save = review.getByRole('button', { name: 'Save and start 1 operation' })
  await expect.element(save).toHaveAccessibleDescription(/^Changes are frozen/)
  const override = review.getByRole('checkbox', { name: /^Override/ })
  await override.click()
  await expect.element(save).toHaveAccessibleDescription('Enter a reason for the override.')
  const reason = review.getByRole('textbox', { name: /^Reason/ })
  await expect.element(reason).toBeRequired()
  await override.click()
  await expect.element(reason).not.toBeRequired()
  await review.getByRole('button', { name: 'Share draft' }).click()
  await expect.poll(screen.address).toBe(`/change-requests/${made.changeRequestId}`)
  expect(scope.api.requests('POST /change-requests')[0]?.body).toMatchObject({ submit: false })
})

test('a draft can be shared without its review, once nothing in it is invalid', async () => {
  const made = changeRequestWith({ kind: 'CONFIGURE', state: 'DRAFT' })
  const scope = await serveScope({ 'POST /change-requests': () => ({ changeRequest: made }) })
  const screen = await renderConsole(scope.address(MAIL))
  const share = page
    .getByRole('region', { name: 'Unsaved changes' })
    .getByRole('button', { name: 'Share draft' })
  await field('SMTP port').fill('99999999')
  await expect.element(share).toHaveAccessibleDescription('Complete the unfinished values first.')
  await field('SMTP port').fill('2525')
  await expect.element(share).not.toHaveAccessibleDescription('Complete the unfinished values first.')
  await share.click()
  await expect.poll(screen.address).toBe(`/change-requests/${made.changeRequestId}`)
  expect(scope.api.requests('POST /change-requests').map(({ body }) => body)).toMatchObject([
    { kind: 'CONFIGURE', submit: false, input: { changes: { [MAIL]: { smtpPort: { value: 2525 } } } } },
  ])
})

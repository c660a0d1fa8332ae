import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { refusal } from '../../../../testing/api.ts'
import { renderConsole } from '../../../../testing/render.tsx'
import { serveScope } from '../../../../testing/served-scope.ts'
import { at, call, failure, operation, timeout } from '../calls/testing.ts'

const OTHER = '0190a000-0000-7000-8000-00000000aaaa'

/** A failed operation whose only attempt had this failure. */
const failedWith = (why: ReturnType<typeof failure>, attempt: Parameters<typeof timeout>[0]) =>
  operation(
    { state: 'FAILED', phase: 'AFTER_RESOURCES', failure: why, finishedAt: at(2_000) },
    { after: [call('hooks', 20, [timeout({ failure: why, ...attempt })])] },
  )

const echo = (received: string) => ({
  differs: [
    { field: 'operation.operationId', expected: 'x', received },
    { field: 'executionSequence', expected: 11, received: 10 },
  ],
})

const differs = {
  ...failure('PLUGIN_RESPONSE_INVALID', false),
  parameters: { reason: 'callEchoDiffers', plugin: 'hooks', field: 'data.operation.operationId' },
}

test('a response to another operation names it, with every field that differs and who answered', async () => {
  const replayed = failedWith(differs, {
    httpStatus: 200,
    response: echo(OTHER),
    wire: { headers: { age: '31', via: '1.1 <b>cache</b>' } },
  })
  replayed.nextStep = { ...replayed.nextStep, actor: 'PLUGIN_OWNER', action: 'FIX_RESPONSE' }
  const other = operation({ operationId: OTHER, executionSequence: 10, operationType: 'INSTALL' }, {})
  const known = Promise.withResolvers<typeof other>()
  await serveScope({
    'GET /operations/{operationId}': ({ params }) =>
      params['operationId'] === OTHER ? known.promise : replayed,
  })
  await renderConsole(`/operations/${replayed.operationId}`)
  const panel = page.getByRole('region', { name: 'Why it failed' })
  // until then, the page does not blame the plugin
  await expect.element(panel.getByText('Next step')).toBeVisible()
  expect(panel.element().textContent).not.toContain('Fix the plugin’s response')
  known.resolve(other)
  await expect.element(panel.getByText(/This is the response to Install .* #10/)).toBeVisible()
  expect(panel.element().textContent).toContain(
    'Plugin owner: Find the cache or proxy that replays responses',
  )
  await expect
    .element(panel.getByRole('link', { name: /#10$/ }))
    .toHaveAttribute('href', expect.stringContaining(OTHER))
  for (const field of ['operation.operationId', 'executionSequence'])
    await expect.element(panel.getByRole('cell', { name: field, exact: true })).toBeVisible()
  // the text of a stranger stays text
  await expect.element(panel.getByText('1.1 <b>cache</b>', { exact: true })).toBeVisible()
})

test('an operation that the person may not see is not named', async () => {
  const replayed = failedWith(differs, { httpStatus: 200, response: echo(OTHER) })
  let isAsked = false
  await serveScope({
    'GET /operations/{operationId}': ({ params }) => {
      if (params['operationId'] !== OTHER) return replayed
      isAsked = true
      return refusal({ status: 404, code: 'NOT_FOUND' })
    },
  })
  await renderConsole(`/operations/${replayed.operationId}`)
  await expect.element(page.getByRole('cell', { name: 'operation.operationId', exact: true })).toBeVisible()
  await expect.poll(() => isAsked).toBe(true)
  await expect.element(page.getByText(/This is the response to/)).not.toBeInTheDocument()
})

test('a plugin that limits its callers says from when a retry makes sense, and how its clock differs', async () => {
  const limited = {
    ...failure('PLUGIN_RESULT_UNKNOWN', true),
    parameters: { reason: 'callLimitedFor', plugin: 'hooks', seconds: 120 },
    retryFrom: at(122_000),
    attemptsUsed: 1,
  }
  const detail = failedWith(limited, {
    httpStatus: 429,
    wire: { retryAfterSeconds: 120, clockBehindSeconds: -312 },
  })
  detail.nextStep = { ...detail.nextStep, actor: 'SUPPORT', action: 'RETRY' }
  await serveScope({ 'GET /operations/{operationId}': () => detail })
  await renderConsole(`/operations/${detail.operationId}`)
  const panel = page.getByRole('region', { name: 'Why it failed' })
  await expect
    .element(panel.getByRole('heading', { name: 'The plugin limits the rate of calls' }))
    .toBeVisible()
  await expect.element(panel.getByText(/asks not to be called again before/)).toBeVisible()
  await expect
    .element(panel.getByText(/^Retry the operation when the plugin accepts calls again\./))
    .toBeVisible()
  await expect.element(panel.getByText('The clock of the plugin’s host is 5 min 12 s ahead.')).toBeVisible()
  await expect.element(panel.getByText(/call was rejected before the plugin handled it/)).toBeVisible()
})

import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { renderConsole } from '../../../../testing/render.tsx'
import { serveScope } from '../../../../testing/served-scope.ts'
import { at, call, failure, operation, timeout } from '../calls/testing.ts'

test('a failure that a plugin passes on says what this platform refused it, and who can change that', async () => {
  const why = {
    ...failure('REFERENCE_TARGET_UNAVAILABLE', true, 'connector'),
    refusedHere: {
      at: at(1_500),
      endpoint: 'RESOLVE' as const,
      rule: 'SERVICE_OWNER_NOT_ACTIVE' as const,
      code: 'REFERENCE_TARGET_UNAVAILABLE',
      service: 'mail-hub',
    },
  }
  const failed = operation(
    {
      state: 'FAILED',
      phase: 'AFTER_RESOURCES',
      failure: why,
      finishedAt: at(2_000),
      nextStep: { actor: 'OPERATOR', action: 'RESTORE_SERVICE', since: at(2_000) },
    },
    { after: [call('connector', 20, [timeout({ failure: why })])] },
  )
  await serveScope({ 'GET /operations/{operationId}': () => failed })
  await renderConsole(`/operations/${failed.operationId}`)
  const panel = page.getByRole('region', { name: 'Why it failed' })
  // the text of the plugin stays
  await expect
    .element(panel.getByRole('heading', { name: 'It was REFERENCE_TARGET_UNAVAILABLE.' }))
    .toBeVisible()
  await expect
    .element(
      panel.getByText(
        /At .*, this platform refused a request from connector to resolve a reference: the installation that provides the service mail-hub was not active\./,
      ),
    )
    .toBeVisible()
  await expect.element(panel.getByText('Operator: Restore the service')).toBeVisible()
  await expect.element(panel.getByText(/^Install the bundle that provides the service again/)).toBeVisible()
})

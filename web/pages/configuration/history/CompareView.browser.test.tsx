import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { wrapData } from '#contract/protocol/data.ts'
import { renderConsole } from '../../../testing/render.tsx'
import { CORE, MAIL, serveScope } from '../../../testing/served-scope.ts'
import { HISTORY, SNAPSHOT } from '../draft/endpoints.ts'

test('each checkbox of a comparison is named after its property and resource', async () => {
  const scope = await serveScope({
    [HISTORY]: () => ({ items: [], nextCursor: null }),
    [SNAPSHOT]: () => {
      const earlier = structuredClone(scope.configuration())
      for (const [locator, property] of [
        [MAIL, 'smtpPort'],
        [CORE, 'seats'],
      ] as const) {
        const resource = earlier.resources[locator]
        if (resource !== undefined) resource.properties[property] = wrapData(25)
      }
      return { ...earlier, snapshotVersion: 1 }
    },
  })
  await renderConsole(`${scope.address(MAIL)}&tab=history&from=1`)
  const comparison = page.getByRole('region', { name: 'Compare snapshots' })
  await expect.element(comparison.getByRole('checkbox')).toHaveLength(2)
  await comparison.getByRole('checkbox', { name: 'Restore: SMTP port · CRM mail' }).click()
  await expect.element(comparison.getByRole('button', { name: 'Restore 1 value' })).toBeEnabled()
})

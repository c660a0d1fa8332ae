import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { InstallationDetail } from '#contract/console-api/shapes.ts'
import { renderInConsole } from '../../../testing/render.tsx'
import { Plugins } from './Plugins.tsx'

const plugin: InstallationDetail['plugins'][number] = {
  pluginId: 'mail-directory',
  order: 10,
  failurePolicy: 'FAIL_FAST',
  authorizations: Array.from({ length: 1000 }, (_, index) => ({
    resource: `production/crm/MODULE/module-${index}`,
    readProperties: ['host'],
    writeProperties: [`mailbox-${String(index).padStart(4, '0')}`],
    credentialProperties: [],
  })),
}

test('of the rights on a thousand Modules all are text in the page', async () => {
  await renderInConsole(<Plugins plugins={[plugin]} />)
  await expect.element(page.getByRole('listitem')).toHaveLength(1000)
  expect(document.querySelectorAll('*').length).toBeLessThan(3000)
  page
    .getByText(/mailbox-0999/)
    .element()
    .scrollIntoView()
  await expect.element(page.getByText('mailbox-0999', { exact: true })).toBeInViewport()
})

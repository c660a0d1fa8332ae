import { expect, test } from 'vitest'
import { paths } from '../addresses/paths.ts'
import { renderInConsole } from '../testing/render.tsx'
import { Tabs } from './Tabs.tsx'

const tabs = [
  { id: 'form', label: 'Form', to: paths.operations() },
  { id: 'history', label: 'History', to: paths.plugins(), count: <span>3</span> },
]

test('tabs are links, and the current one is marked', async () => {
  const screen = await renderInConsole(<Tabs label="Views" tabs={tabs} current="form" />)
  const views = screen.getByRole('navigation', { name: 'Views' })
  await expect.element(views.getByRole('link', { name: 'Form' })).toHaveAttribute('aria-current', 'page')
  const history = views.getByRole('link', { name: 'History 3' })
  await expect.element(history).not.toHaveAttribute('aria-current')
  await history.click()
  expect(screen.address()).toBe('/plugins')
})

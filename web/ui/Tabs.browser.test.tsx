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

test('a tab whose address is a part of the current one is not marked', async () => {
  const views = [
    { id: 'list', label: 'List', to: paths.operations() },
    { id: 'causes', label: 'Causes', to: paths.operations({ view: 'causes' }) },
  ]
  const screen = await renderInConsole(<Tabs label="Views" tabs={views} current="causes" />)
  await screen.getByRole('link', { name: 'Causes' }).click()
  await expect.poll(() => screen.address()).toBe('/operations?view=causes')
  await expect.element(screen.getByRole('link', { name: 'Causes' })).toHaveAttribute('aria-current', 'page')
  await expect.element(screen.getByRole('link', { name: 'List' })).not.toHaveAttribute('aria-current')
})

test('tabs that do not fit fade at their end, until that is in view', async () => {
  for (const [width, fade] of [
    ['40rem', '0px'],
    ['5rem', '48px'],
  ] as const) {
    const screen = await renderInConsole(
      <div style={{ width }}>
        <Tabs label={`Views in ${width}`} tabs={tabs} current="form" />
      </div>,
    )
    const views = screen.getByRole('navigation', { name: `Views in ${width}` }).element()
    const shown = () => getComputedStyle(views).getPropertyValue('--fade')
    await expect.poll(shown).toBe(fade)
    views.scrollLeft = views.scrollWidth
    await expect.poll(shown).toBe('0px')
  }
})

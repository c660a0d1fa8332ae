import { expect, test } from 'vitest'
import { renderInConsole } from '../../testing/render.tsx'
import { ChangeList } from './ChangeList.tsx'

const MAIN = 'dev/crm/MODULE/core'
const set = { '@type': 'Data', isSensitive: true, isSet: true } as const
const text = (value: string) => ({ '@type': 'Data', value }) as const
const changed = { locator: MAIN, property: 'name', before: text('a'), after: text('b') }

test('says what becomes of a hidden value that a downgrade puts aside', async () => {
  const aside = { locator: MAIN, property: 'password', before: set, after: null, isPutAside: true } as const
  const removed = { locator: MAIN, property: 'token', before: set, after: null }
  // beside other changes, and in a resource that only loses values
  for (const changes of [
    [changed, aside, removed],
    [aside, removed],
  ]) {
    const screen = await renderInConsole(<ChangeList changes={changes} label="Changes" />)
    await expect.element(screen.getByText(/Not in use/)).toBeVisible()
    expect(screen.getByText(/Not in use/).elements()).toHaveLength(1)
    await screen.unmount()
  }
})

test('of very many changes the first are shown, and what is said of their resource is true of all', async () => {
  const added = Array.from({ length: 300 }, (_, index) => ({
    locator: MAIN,
    property: `added-${index}`,
    before: null,
    after: text('b'),
  }))
  const count = (of: string) => document.querySelectorAll(of).length
  const screen = await renderInConsole(<ChangeList changes={[...added, changed]} label="Changes" />)
  await expect.poll(() => count('dt')).toBe(200)
  expect(screen.getByText('new', { exact: true }).elements()).toHaveLength(0)
  await screen.rerender(<ChangeList changes={added} label="Changes" />)
  await expect.element(screen.getByText('new', { exact: true })).toBeVisible()
  await screen.getByRole('button', { name: 'Show 100 more' }).click()
  await expect.poll(() => count('dt')).toBe(300)
})

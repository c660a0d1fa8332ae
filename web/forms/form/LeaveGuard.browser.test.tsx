import { expect, test } from 'vitest'
import { renderInConsole } from '../../testing/render.tsx'
import { LeaveGuard } from './LeaveGuard.tsx'

const guard = (isDirty: boolean) => <LeaveGuard isDirty={isDirty} isSamePage={() => false} />

/** Whether the browser would ask before it closes or reloads the tab. */
const asksBeforeUnload = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }))

test('the browser asks before it unloads a page with typed values, and only then', async () => {
  const screen = await renderInConsole(guard(false))
  expect(asksBeforeUnload()).toBe(false)
  await screen.rerender(guard(true))
  expect(asksBeforeUnload()).toBe(true)
  await screen.rerender(guard(false))
  expect(asksBeforeUnload()).toBe(false)
})

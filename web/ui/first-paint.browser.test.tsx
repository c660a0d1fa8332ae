import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { renderInConsole } from '../testing/render.tsx'
import { useIsPainted } from './first-paint.ts'

const renders: boolean[] = []

function Probe() {
  const isPainted = useIsPainted()
  renders.push(isPainted)
  return isPainted ? 'Everything' : 'What the window shows'
}

test('the first render of a document is completed after its first paint', async () => {
  const first = await renderInConsole(<Probe />)
  await expect.element(page.getByText('Everything')).toBeVisible()
  expect(renders[0]).toBe(false)
  await first.unmount()

  renders.length = 0
  await renderInConsole(<Probe />)
  expect(renders).not.toContain(false)
})

import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Attempt } from '#contract/console-api/shapes.ts'
import { renderConsole } from '../../../../testing/render.tsx'
import { serveScope } from '../../../../testing/served-scope.ts'
import { at, attempt, call, operation, timeout } from '../calls/testing.ts'

const timing = { sentMs: 2, connectedMs: 5, answeredMs: 85, endedMs: 90 }
/** Three attempts, 10 s apart; only the last two were measured. */
const attempts: Attempt[] = [
  timeout(),
  timeout({ attempt: 2, startedAt: at(10_000), dueAt: at(4_000), timing: { ...timing, answeredMs: null } }),
  attempt({ attempt: 3, startedAt: at(20_000), dueAt: at(19_900), timing }),
]

async function open(of: Attempt[], width = 1440) {
  await page.viewport(width, 900)
  const detail = operation(
    { state: 'SUCCEEDED', finishedAt: at(20_100) },
    { before: [call('hooks', 1, of), call('mail', 2, [attempt({ startedAt: at(20_100) })])] },
  )
  await serveScope({ 'GET /operations/{operationId}': () => detail })
  await renderConsole(`/operations/${detail.operationId}?stage=BEFORE_RESOURCES&plugin=hooks`)
  return page.getByRole('main')
}
const bar = (number: number) =>
  page
    .getByRole('list', { name: '3 attempts' })
    .getByRole('link', { name: new RegExp(`Attempt ${number}, run`) })

test('a bar and its details say how the time was spent, and what is not known', async () => {
  const main = await open(attempts)
  await expect
    .element(bar(2))
    .toHaveAccessibleName(
      /Back-off: 3\.9 s, Waiting for a worker: 6 s, Network: 3 ms, Plugin: 85 ms, Recording: 10 ms/,
    )
  await expect.element(bar(1)).toHaveAccessibleName(/Not measured: 100 ms/)
  const details = main.getByRole('region', { name: /^Attempt 3, run 1/ })
  await expect.element(details.getByText('Where the time went')).toBeVisible()
  await expect
    .element(details)
    .toMatchTextContent(/Back-off9\.8 s.*Network3 ms.*Plugin85 ms.*Response began after80 ms/)
  await bar(1).click()
  const old = main.getByRole('region', { name: /^Attempt 1, run 1/ })
  await expect.element(old.getByText(/The runtime did not measure this attempt/)).toBeVisible()
  // the legend names what occurs, with its meaning
  await main.getByText('About these times').click()
  await expect.element(main.getByText(/no worker was free/)).toBeVisible()
})

test('the parts are drawn to scale', async () => {
  await open(attempts)
  await expect.element(bar(3)).toBeVisible()
  const widthOf = (part: string) => {
    const path = document.querySelector<SVGPathElement>(`main ul svg path[data-part=${part}]`)
    return path?.getBBox().width ?? 0
  }
  // from the first back-off to the end of the second one, against the only long wait for a worker
  expect(widthOf('backOff') / widthOf('worker')).toBeGreaterThan(1)
  const [scale] = [widthOf('backOff') / (19_900 - 100)]
  expect(Math.abs(widthOf('worker') / scale - 16_002)).toBeLessThan(200)
})

test('the timeline zooms with buttons, keys and the wheel, and shows what is chosen', async () => {
  const main = await open(attempts)
  const zoomIn = main.getByRole('button', { name: 'Zoom in' })
  await expect.element(bar(1)).toBeVisible()
  await expect
    .element(main.getByRole('button', { name: 'Show all' }))
    .toHaveAttribute('aria-disabled', 'true')
  await zoomIn.click()
  await zoomIn.click()
  await expect.element(bar(1)).not.toBeInTheDocument()
  await expect.element(bar(3)).toBeVisible()
  await expect.element(main.getByText(/^Shown: .*, 5(\.\d)? s$/)).toBeVisible()

  // an attempt that is chosen elsewhere comes into view, with the same magnification
  const previous = main.getByRole('link', { name: 'Previous attempt' })
  await previous.click()
  await expect.element(bar(2)).toBeVisible()
  await expect.element(bar(3)).not.toBeInTheDocument()
  await expect.element(main.getByText(/^Shown: .*, 5(\.\d)? s$/)).toBeVisible()
  await main.getByRole('button', { name: 'Later' }).click()
  await main.getByRole('button', { name: 'Later' }).click()
  await expect.element(bar(2)).not.toBeInTheDocument()

  await userEvent.keyboard('0')
  await expect.element(bar(1)).toBeVisible()
  await expect.element(main.getByText(/^Shown:/)).not.toBeInTheDocument()
  await userEvent.keyboard('++')
  await expect.element(bar(1)).not.toBeInTheDocument()
  await userEvent.keyboard('--')
  await expect.element(bar(1)).toBeVisible()

  // with Ctrl the wheel zooms, and without it scrolls the page
  const wheel = (init: WheelEventInit) => {
    const event = new WheelEvent('wheel', { bubbles: true, cancelable: true, clientX: 400, ...init })
    document.querySelector('main [data-track]')?.dispatchEvent(event)
    return event.defaultPrevented
  }
  expect(wheel({ deltaY: -240 })).toBe(false)
  expect(wheel({ deltaY: -240, ctrlKey: true })).toBe(true)
  await expect.element(main.getByText(/^Shown:/)).toBeVisible()
})

test('milliseconds can be reached, and no less', async () => {
  const main = await open(attempts)
  await expect.element(bar(3)).toBeVisible()
  for (let press = 0; press < 16; press++) await userEvent.keyboard('+')
  await expect.element(main.getByText(/^Shown: .*, 5 ms$/)).toBeVisible()
  const zoomIn = main.getByRole('button', { name: 'Zoom in' })
  await expect.element(zoomIn).toHaveAccessibleDescription('The timeline can’t zoom in further.')
})

test('with one bar there is nothing to move between', async () => {
  const detail = operation({}, { before: [call('hooks', 1, [attempt({ timing })])] })
  await serveScope({ 'GET /operations/{operationId}': () => detail })
  await renderConsole(`/operations/${detail.operationId}`)
  await expect.element(page.getByRole('link', { name: /^Attempt 1, run 1/ })).toBeVisible()
  await expect.element(page.getByText(/Use the arrow keys/)).not.toBeInTheDocument()
})

test.each([
  [1440, true],
  [1280, true],
  [360, false],
])('at %i px the details never cover the timeline', async (width, isBeside) => {
  const main = await open(attempts, width)
  const details = main.getByRole('region', { name: /^Attempt 3, run 1/ })
  await expect.element(details).toBeVisible()
  const [history, attemptBox] = [main.getByRole('region', { name: 'History' }), details].map((region) =>
    region.element().getBoundingClientRect(),
  )
  if (!history || !attemptBox) throw new Error('they have no place')
  if (isBeside) expect(attemptBox.left).toBeGreaterThanOrEqual(history.right)
  else expect(attemptBox.top).toBeGreaterThanOrEqual(history.bottom)
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width)
})

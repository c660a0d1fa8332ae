import type { Page } from '@playwright/test'
import { wrapData } from '#contract/protocol/data.ts'
import { ling } from '../../demo/people.ts'
import { expectPage } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
const SLOW_MS = 900

/** The milliseconds of the parts that the details of the shown attempt have, by name. */
async function partsOf(page: Page): Promise<Record<string, number>> {
  const details = page.getByRole('region', { name: /^Attempt / })
  await expect(details.getByText('Where the time went')).toBeVisible()
  const parts = new Set([
    'Back-off',
    'Waiting for a worker',
    'Network',
    'Plugin',
    'Recording',
    'Not measured',
  ])
  const found = await details
    .locator('dl > div')
    .evaluateAll((items) =>
      items.map((item) => [
        item.querySelector('dt')?.textContent ?? '',
        item.querySelector('dd')?.textContent ?? '',
      ]),
    )
  return Object.fromEntries(
    found.filter(([name = '']) => parts.has(name)).map(([name, text = '']) => [name, millisecondsOf(text)]),
  )
}

/** Of `412 ms`, `3.2 s` or `1 min 10 s`. */
function millisecondsOf(text: string): number {
  const units: Record<string, number> = { ms: 1, s: 1_000, min: 60_000 }
  const pairs = [...text.matchAll(/([\d.]+) (ms|s|min)/g)]
  return pairs.reduce((sum, [, value, unit = '']) => sum + Number(value) * (units[unit] ?? 0), 0)
}

/** The part that took the longest. */
const longestOf = (parts: Record<string, number>) =>
  Object.entries(parts).toSorted(([, a], [, b]) => b - a)[0]?.[0]

test('a slow plugin, a back-off and a wait for a worker are distinguished', async ({
  system,
  signIn,
  crmScope,
}) => {
  test.setTimeout(120_000)
  const stage = 'BEFORE_RESOURCES' as const
  await system.script.add({
    when: { workspaceId: crmScope.workspaceId, stage },
    behaviour: { kind: 'slow', ms: SLOW_MS },
  })
  const slow = await system.configure(crmScope, mail, 'smtpPort', wrapData(2525), ling)
  await system.ended(slow.operationId)
  const page = await signIn('sam', `/operations/${slow.operationId}?stage=${stage}&plugin=scripted-hooks`)
  const inPlugin = await partsOf(page)
  expect(longestOf(inPlugin)).toBe('Plugin')
  expect(inPlugin['Plugin']).toBeGreaterThanOrEqual(SLOW_MS - 100)
  expect(inPlugin['Back-off']).toBeUndefined()

  await system.script.clear()
  const busy = { when: { workspaceId: crmScope.workspaceId, stage }, times: 3 }
  await system.script.add({ ...busy, behaviour: { kind: 'unknown' } })
  const repeated = await system.configure(crmScope, mail, 'smtpPort', wrapData(2526), ling)
  await system.ended(repeated.operationId)
  await page.goto(`/operations/${repeated.operationId}?stage=${stage}&plugin=scripted-hooks&attempt=4`)
  expect(longestOf(await partsOf(page))).toBe('Back-off')
  await expect(page.getByRole('link', { name: /^Attempt 4, run 1: .*Back-off: / })).toBeVisible()

  // more operations than the plugin may have calls at once
  await system.script.add({ when: { stage }, behaviour: { kind: 'slow', ms: SLOW_MS } })
  const started = await Promise.all(
    Array.from({ length: 40 }, () => system.start(system.newScope(), 'crm-suite', '1.0.0')),
  )
  const waits = []
  for (const { operation } of started) {
    const { operationId } = await system.ended(operation.operationId)
    const { stages } = await system.call(
      ling,
      'GET /operations/{operationId}',
      { params: { operationId } },
      crypto.randomUUID(),
    )
    const [first] = stages[0]?.calls.find(({ pluginId }) => pluginId === 'scripted-hooks')?.attempts ?? []
    if (first?.dueAt) waits.push({ operationId, ms: Date.parse(first.startedAt) - Date.parse(first.dueAt) })
  }
  const [longest] = waits.toSorted((a, b) => b.ms - a.ms)
  expect(longest?.ms).toBeGreaterThan(SLOW_MS)
  await page.goto(`/operations/${longest?.operationId}?stage=${stage}&plugin=scripted-hooks`)
  expect(longestOf(await partsOf(page))).toBe('Waiting for a worker')
  await system.script.clear()
})

test('the timeline zooms by keyboard and with two fingers, and moves with a drag', async ({
  system,
  signIn,
  crmScope,
}) => {
  await system.script.add({
    when: { workspaceId: crmScope.workspaceId, stage: 'BEFORE_RESOURCES' },
    times: 3,
    behaviour: { kind: 'unknown' },
  })
  const { operationId } = await system.configure(crmScope, mail, 'smtpPort', wrapData(2525), ling)
  await system.ended(operationId)
  const page = await signIn('sam', `/operations/${operationId}`)
  await expectPage(page, 'Configure CRM suite Succeeded')
  const bars = page.getByRole('link', { name: /^(\d+× )?Attempt \d+, run 1: / })
  const shown = page.getByText(/^Shown: /)
  const all = await bars.count()
  for (let press = 0; press < 6; press++) await page.keyboard.press('+')
  await expect(shown).toBeVisible()
  expect(await bars.count()).toBeLessThan(all)
  const text = await shown.textContent()

  // a drag moves the timeline and chooses no attempt
  const address = page.url()
  const track = page.locator('[data-track]').first()
  const box = await track.boundingBox()
  if (box === null) throw new Error('The axis has no place')
  await page.mouse.move(box.x + 40, box.y + 10)
  await page.mouse.down()
  await page.mouse.move(box.x + 200, box.y + 10, { steps: 5 })
  await page.mouse.up()
  await expect(shown).not.toHaveText(text ?? '')
  expect(page.url()).toBe(address)
  await page.keyboard.press('0')
  await expect(shown).toHaveCount(0)
  await expect(bars).toHaveCount(all)

  // two fingers that move apart
  const fingers = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart: number) =>
    fingers.send('Input.dispatchTouchEvent', {
      type,
      touchPoints:
        type === 'touchEnd'
          ? []
          : [1, -1].map((side) => ({ x: box.x + 200 + side * apart, y: box.y + 10, id: side + 1 })),
    })
  await touch('touchStart', 20)
  for (const apart of [40, 60, 80]) await touch('touchMove', apart)
  await touch('touchEnd', 0)
  await expect(shown).toBeVisible()
})

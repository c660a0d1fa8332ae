import type { Page } from '@playwright/test'
import { wrapData } from '#contract/protocol/data.ts'
import { mira } from '../../demo/people.ts'
import { field } from '../vocabulary.ts'
import { expect, test } from '../harness/test.ts'

const mail = { bundleId: 'crm-suite', kind: 'MODULE', name: 'crm-mail' } as const
const timer = { bundleId: 'crm-suite', kind: 'TIMER', name: 'nightly-sync' } as const

/**
 * Where the focused field was in each frame since the last call: its distances from the top of the window, in px, whether
 * something covered it, and which rows of the form have moved in the window.
 */
interface Sampled {
  tops: number[]
  wasCovered: boolean
  moved: string[]
}

/** Samples the focused element and the rows of the form in each frame from now on. Returns a function that reads and clears the samples. */
async function sampleFocus(page: Page): Promise<() => Promise<Sampled>> {
  const samples = await page.evaluateHandle(() => {
    const topsOf = () =>
      new Map(
        [...document.querySelectorAll('[id^="row-"]')].map((row) => [
          row.id,
          Math.round(row.getBoundingClientRect().top),
        ]),
      )
    const kept = { tops: new Set<number>(), wasCovered: false, first: topsOf(), moved: new Set<string>() }
    const sample = () => {
      const element = document.activeElement
      if (element !== null && element !== document.body) {
        const { left, top, width, height } = element.getBoundingClientRect()
        kept.tops.add(Math.round(top))
        const shown = document.elementFromPoint(left + width / 2, top + height / 2)
        if (shown === null || !(element.contains(shown) || shown.contains(element))) kept.wasCovered = true
        for (const [id, at] of topsOf()) if (Math.abs((kept.first.get(id) ?? at) - at) > 1) kept.moved.add(id)
      }
      next()
    }
    // after the frame is painted: what is corrected before that is never seen
    const next = () => requestAnimationFrame(() => setTimeout(sample))
    next()
    return kept
  })
  return () =>
    samples.evaluate((kept) => {
      const { wasCovered } = kept
      const [tops, moved] = [[...kept.tops], [...kept.moved]]
      kept.tops.clear()
      kept.moved.clear()
      kept.wasCovered = false
      return { tops, wasCovered, moved }
    })
}

for (const viewport of [
  { width: 1440, height: 900 },
  { width: 360, height: 740 },
]) {
  test(`nothing that arrives moves or covers the field being typed in, at ${viewport.width} px`, async ({
    system,
    editing,
    crmScope,
  }) => {
    test.slow()
    const page = await editing({ field: 'SMTP host', value: 'mine.example' })
    await page.setViewportSize(viewport)
    const typed = field(page, 'SMTP user')
    await typed.fill('olivia')
    await typed.evaluate((element) => element.scrollIntoView({ block: 'center' }))
    const { top } = await typed.evaluate((element) => element.getBoundingClientRect().toJSON() as DOMRect)
    const sampled = await sampleFocus(page)
    const steady = { tops: [Math.round(top)], wasCovered: false, moved: [] }

    const elsewhere = await system.configure(crmScope, timer, 'cron', wrapData('0 3 * * *'), mira)
    await expect(page.getByText(/Moved to snapshot \d+ by Mira Castellan/)).toBeVisible()
    await system.ended(elsewhere.operationId)
    await page.keyboard.type('1')
    expect(await sampled(), 'a save of another resource, and its operation').toEqual(steady)

    // of a field that is not edited, above the one that is typed in
    const above = await system.configure(crmScope, mail, 'smtpPort', wrapData(465), mira)
    await expect(page.getByRole('status').filter({ hasText: /overlap/ })).toBeVisible()
    await system.ended(above.operationId)
    await page.keyboard.type('2')
    expect(await sampled(), 'a save of another property').toEqual(steady)

    // of an edited field, which says so below it
    const overlapping = await system.configure(crmScope, mail, 'smtpHost', wrapData('theirs.example'), mira)
    await expect(page.getByRole('button', { name: 'Compare SMTP host' })).toBeVisible()
    await system.ended(overlapping.operationId)
    await page.keyboard.type('3')
    expect(await sampled(), 'a save of an edited property').toEqual(steady)

    // an edited field whose value they have not changed says nothing but a glyph; of a lock the dock speaks once
    await system.script.add({ when: { workspaceId: crmScope.workspaceId }, behaviour: { kind: 'unknown' } })
    const waiting = await system.configure(crmScope, mail, 'smtpPort', wrapData(466), mira)
    const lock = page.getByText('Locked by an operation', { exact: true })
    await expect(lock).toBeAttached()
    await expect(page.getByText('What you type here is kept as a draft', { exact: false })).toHaveCount(1)
    await page.keyboard.type('4')
    expect(await sampled(), 'a lock').toEqual(steady)
    await system.script.clear()
    await system.ended(waiting.operationId)
    await expect(lock).toHaveCount(0)
    await page.keyboard.type('5')
    expect(await sampled(), 'the end of a lock').toEqual(steady)

    system.proxy.down()
    await expect(page.getByText('Connection lost. Reconnecting…')).toBeVisible()
    await page.keyboard.type('6')
    system.proxy.up()
    await expect(page.getByText('Connection lost')).toHaveCount(0, { timeout: 20_000 })
    expect(await sampled(), 'a lost connection').toEqual(steady)
    await expect(typed).toHaveValue('olivia123456')
  })
}

import type { Locator, Page } from '@playwright/test'

/** Counts the clicks and key presses that the page receives from now on. */
export interface InputCount {
  /** A choice from a list counts as two. */
  clicks: () => Promise<number>
  /** Text that is pasted or filled in counts as none. */
  keys: () => Promise<number>
  /** Chooses from a native list; the page receives no clicks in it. */
  choose: (list: Locator, value: string) => Promise<void>
}

/** Counts input until the page is loaded again. */
export async function countInput(page: Page): Promise<InputCount> {
  const counts = await page.evaluateHandle(() => {
    const counts = { pointerdown: 0, keydown: 0 }
    for (const type of ['pointerdown', 'keydown'] as const)
      addEventListener(type, ({ isTrusted }) => void (isTrusted && counts[type]++), true)
    return counts
  })
  let choices = 0
  return {
    clicks: async () => (await counts.evaluate(({ pointerdown }) => pointerdown)) + 2 * choices,
    keys: () => counts.evaluate(({ keydown }) => keydown),
    choose: async (list, value) => {
      choices += 1
      await list.selectOption(value)
    },
  }
}

import type { Locator, Page } from '@playwright/test'

/** What a person does from now on, counted in the page as it arrives. */
export interface InputCount {
  /** Presses of the mouse, and two for each choice from a list. */
  clicks: () => Promise<number>
  /** Presses of keys; a text that is pasted or filled in counts as none. */
  keys: () => Promise<number>
  /** Chooses from a native list, whose presses no page receives. */
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

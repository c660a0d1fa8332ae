import type { Locator, Page } from '@playwright/test'
import type { Content } from './values.ts'

/** Longer than any operation of a trial locks a control. */
export const CONTROL_TIMEOUT_MS = 15_000

/** One action of a person on a field: a key press, a click, or as quick as one. */
export interface Gesture {
  name: string
  /** Whether the field may show `after` once this is done to a field that shows `before`. */
  makes: (before: Content, after: Content) => boolean
  perform: () => Promise<void>
  isRemoval?: true
  isClick?: true
}

export interface FieldLocators {
  page: Page
  row: Locator
  control: Locator
}

/** A gesture that is one click. */
export const click = (button: Locator): Pick<Gesture, 'perform' | 'isClick'> => ({
  perform: () => button.click({ timeout: CONTROL_TIMEOUT_MS }),
  isClick: true,
})

/** Focuses a control. Fails if it cannot have the focus, for example a switch that was just locked: the next key would go to another field. */
export async function focus(control: Locator): Promise<void> {
  await control.focus({ timeout: CONTROL_TIMEOUT_MS })
  if (!(await control.evaluate((element) => element.matches(':focus'))))
    throw new Error('the control cannot have the focus')
}

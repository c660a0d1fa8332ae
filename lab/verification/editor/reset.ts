import type { Field } from './bundle.ts'
import { CLICK_TIMEOUT_MS, succeeds } from './dialog.ts'
import { InvariantViolation } from './model.ts'
import type { Tab } from './tab.ts'

/** Resets an edit with the button below its field, unless its value has been saved in the meantime. */
export async function reset(tab: Tab, field: Field): Promise<string> {
  const { model } = tab
  await tab.show(field)
  tab.activeField = null
  const button = tab.row(field.property).getByRole('button', { name: 'Reset' })
  const isDone = await succeeds(button.click({ timeout: CLICK_TIMEOUT_MS }))
  await model.refresh(tab.index)
  const mine = model.edit(tab.index, field)
  if (!isDone && mine?.savedSince === null)
    throw new InvariantViolation('an edit can be reset', field.property)
  if (isDone) model.set(tab.index, field, null)
  return isDone ? 'reset' : 'saved already'
}

/** Whether there is an edit whose value has not been saved since it was typed. */
export async function hasUnsavedEdit({ model, index }: Tab): Promise<boolean> {
  await model.refresh(index)
  return model.edits(index).some(([, mine]) => mine.savedSince === null)
}

import { resolveConflict } from './conflict.ts'
import {
  RESPONSE_MS,
  CLICK_TIMEOUT_MS,
  CONFLICT,
  dialogState,
  POLL_MS,
  succeeds,
  type ReviewContext,
} from './dialog.ts'
import { hasUnsavedEdit, reset } from './reset.ts'
import type { Tab } from './tab.ts'
import { hasParts } from './values.ts'

const MAX_ROUNDS = 8

/** Reviews the edits, resolves conflicts, and saves or closes the dialog. A colleague may save at any moment. */
export async function review(tab: Tab, context: ReviewContext): Promise<void> {
  const { page } = tab
  const { random, note } = context
  if (!(await hasUnsavedEdit(tab))) return note('nothing to review')
  await resetUnfinished(tab, note)
  if (!(await hasUnsavedEdit(tab))) return note('nothing left to review')
  tab.activeField = null
  // a merge changes what these fields show, which can be read while the dialog is open
  const structured = tab.model.edits(tab.index).find(([field]) => hasParts(field.kind))
  if (structured !== undefined) await tab.show(structured[0])
  const bar = page.getByRole('region', { name: 'Unsaved changes' })
  const opens = succeeds(bar.getByRole('button', { name: 'Review' }).click({ timeout: CLICK_TIMEOUT_MS }))
  if (!(await opens) && !(await hasUnsavedEdit(tab))) return note('all of it is saved already')
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const state = await dialogState(tab)
    if (state === 'closed') return note('the review closed')
    if (state === 'conflict') await resolveConflict(tab, context)
    else if (random.chance(0.15)) break
    else if (await save(tab, context)) return undefined
  }
  await page.keyboard.press('Escape')
  await tab.waitFor('the review closes', ({ dialog }) => (dialog === null ? null : `${dialog} is still open`))
  note('closed the review')
}

/** Resets edits that cannot be saved, such as half a document. */
async function resetUnfinished(tab: Tab, note: (text: string) => void): Promise<void> {
  for (const [field, mine] of tab.model.edits(tab.index)) {
    if (tab.model.valueOf(field, mine) !== undefined || mine.savedSince !== null) continue
    note(`${field.property}, which is not a value: ${await reset(tab, field)}`)
  }
}

/** Saves what the plan shows. Returns whether the dialog has closed. */
async function save(tab: Tab, { random, saveAsColleague, note, colleague }: ReviewContext): Promise<boolean> {
  const { page, model } = tab
  const dialog = page.getByRole('dialog')
  const edits = model.edits(tab.index)
  // a save from the other tab may have included all of them
  if (random.chance(0.2) && edits.length > 0) {
    const [field] = random.pick(edits)
    const saving = saveAsColleague([field.property])
    if (random.chance(0.5)) note(`while the plan is shown: ${await saving}`)
    else note('while the plan is shown a colleague begins to save')
  }
  const button = dialog.getByRole('button', { name: /^Save/ })
  const end = performance.now() + RESPONSE_MS
  for (;;) {
    const { dialog: title, changes } = await tab.view()
    if (title === CONFLICT || (title === null && changes === 0)) return title === null
    if (await button.isEnabled({ timeout: 200 }).catch(() => false)) break
    if (performance.now() > end) {
      await colleague.waitUntilIdle()
      note('the plan did not load in time')
      return false
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  const before = new Map(model.edits(tab.index).map(([field, mine]) => [field.property, { ...mine }]))
  model.sent = { tab: tab.index, edits: before }
  if (!(await succeeds(button.click({ timeout: CLICK_TIMEOUT_MS })))) return false
  await tab.waitFor('a save completes', async ({ dialog: title }) =>
    title === null || title === CONFLICT || (await button.isEnabled({ timeout: 200 }).catch(() => true))
      ? null
      : `${title} is still open`,
  )
  await model.history.sync()
  const isDone = (await tab.view()).dialog === null
  if (isDone) model.noteSentSecrets(model.history.version)
  return isDone
}

import { fieldOf } from './bundle.ts'
import { CLICK_TIMEOUT_MS, succeeds, type ReviewContext } from './dialog.ts'
import { editField } from './edit.ts'
import { editInDocument } from './edit-document.ts'
import type { Model } from './model.ts'
import { hasUnsavedEdit, reset } from './reset.ts'
import { review } from './review.ts'
import type { Step } from './steps.ts'
import type { Tab } from './tab.ts'

/** What a step needs besides its own choices. */
export interface StepContext extends ReviewContext {
  tab: Tab
  model: Model
  services: readonly string[]
}

/** Performs one step, and notes what was done. */
export async function runStep(step: Step, context: StepContext): Promise<void> {
  const { tab, random, note, model } = context
  switch (step.kind) {
    case 'edit':
      return note(await editField(tab, fieldOf(step.property), random, context.services))
    case 'document':
      return note(await editInDocument(tab, fieldOf(step.property), random, context.services))
    case 'colleague': {
      const saving = context.saveAsColleague(step.properties)
      if (random.chance(0.4)) return note('begins to save')
      const description = await saving
      await model.history.sync()
      const { version } = model.history
      if (random.chance(0.7))
        await tab.waitFor('the page shows what is saved', (view) =>
          view.version >= version
            ? null
            : `the page shows snapshot ${view.version}, the newest is ${version}`,
        )
      return note(description)
    }
    case 'reset': {
      const field = fieldOf(step.property)
      const mine = model.edit(tab.index, field)
      if (mine === undefined || mine.savedSince !== null) return note('nothing to reset')
      return note(await reset(tab, field))
    }
    case 'open':
      await tab.show(fieldOf(step.property))
      return note('opened')
    case 'blur':
      tab.activeField = null
      await tab.page.getByRole('heading', { level: 1 }).click()
      return note('the form has no focus')
    case 'reload':
      return reload(context)
    case 'discard':
      return discard(context)
    case 'wait':
      await context.colleague.waitUntilIdle()
      return note('no operation is running')
    case 'review':
      await review(tab, context)
      if (random.chance(0.7)) await context.colleague.waitUntilIdle()
      return undefined
  }
}

async function reload({ tab, model, note }: StepContext): Promise<void> {
  const secrets = model.edits(tab.index).filter(([field]) => field.kind === 'secret')
  // one that was sent may have been saved, and is then no edit any more
  const isSure = secrets.some(([, mine]) => mine.savedSince === null)
  tab.activeField = null
  await tab.page.reload()
  for (const [field] of secrets) model.set(tab.index, field, null)
  await tab.waitFor('the page loads again', (view) =>
    view.resource === null ? 'no resource is shown' : null,
  )
  if (isSure && tab.index === 0)
    await tab.waitFor('the page says which sensitive values were not kept', ({ notKept }) =>
      notKept > 0 ? null : 'it does not',
    )
  note('reloaded')
}

async function discard({ tab, model, note }: StepContext): Promise<void> {
  if (!(await hasUnsavedEdit(tab))) return note('nothing to discard')
  const edits = model.edits(tab.index)
  tab.activeField = null
  const bar = tab.page.getByRole('region', { name: 'Unsaved changes' })
  const dialog = tab.page.getByRole('dialog')
  const opens = await succeeds(
    bar.getByRole('button', { name: 'Discard' }).click({ timeout: CLICK_TIMEOUT_MS }),
  )
  if (!opens && !(await hasUnsavedEdit(tab))) return note('all of it is saved already')
  await dialog.getByRole('button', { name: 'Discard' }).click({ timeout: CLICK_TIMEOUT_MS })
  await tab.waitFor('everything is discarded', ({ dialog, changes }) =>
    dialog === null && changes === 0 ? null : `${changes} changes remain`,
  )
  for (const [field] of edits) model.set(tab.index, field, null)
  return note('discarded')
}

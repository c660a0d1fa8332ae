import type { BrowserContext, Page } from '@playwright/test'
import { configurationPath } from '../../../e2e/vocabulary.ts'
import type { System } from '../../../e2e/harness/system.ts'
import { SeededRandom } from '../seeded-random.ts'
import { fieldOf, MAIN, FIELDS } from './bundle.ts'
import { Colleague } from './colleague.ts'
import { History, type SavedSnapshot } from './history.ts'
import { install } from './install.ts'
import { InvariantViolation, Model } from './model.ts'
import { runStep } from './run-step.ts'
import { countClaims } from './read-page.ts'
import { describeStep, type Step } from './steps.ts'
import { Tab } from './tab.ts'
import { isMeant, sameValue, valueOf } from './values.ts'

export interface TrialResult {
  violation: { promise: string; seen: string; step: number } | null
  /** How many steps were performed. */
  steps: number
  /** What happened, one line for each step and snapshot. */
  log: string[]
}

/**
 * Performs these steps in a separate scope, as the person who is signed in in `context`, and checks the page in
 * between. No step begins after `end`, in milliseconds of `performance.now()`.
 */
export async function runTrial(
  system: System,
  context: BrowserContext,
  steps: readonly Step[],
  end = Number.POSITIVE_INFINITY,
): Promise<TrialResult> {
  const log: string[] = []
  let at = -1
  const pages: Page[] = []
  const pageErrors: string[] = []
  try {
    const { scope, services } = await install(system)
    const history = new History(system, scope)
    await history.sync()
    const model = new Model(history)
    history.onSnapshot = (snapshot) => {
      checkSave(model, snapshot)
      log.push(`  snapshot ${snapshot.version} by ${snapshot.savedBy}: ${snapshot.properties.join(', ')}`)
    }
    const colleague = new Colleague(system, scope, services)
    const tabs: Tab[] = []
    const tabAt = async (index: number): Promise<Tab> => {
      const known = tabs[index]
      if (known !== undefined) return known
      const page = await context.newPage()
      pages.push(page)
      await countClaims(page)
      page.on('pageerror', (error) => pageErrors.push(String(error.stack)))
      page.on('dialog', (dialog) => void dialog.accept())
      await page.goto(configurationPath(scope, MAIN))
      const tab = new Tab(page, index, model)
      tabs[index] = tab
      await tab.show(fieldOf('name'))
      return tab
    }
    await tabAt(0)
    for (const [index, step] of steps.entries()) {
      if (performance.now() > end) break
      at = index
      const random = new SeededRandom(step.seed)
      const note = (text: string) => log.push(`${index} ${describeStep(step)}: ${text}`)
      const tab = await tabAt('tab' in step ? step.tab : 0)
      // only one window has the focus
      for (const other of tabs) if (other !== undefined && other !== tab) await other.blur()
      const saveAsColleague = (properties: readonly string[]) => {
        const mine = (property: string) => {
          const field = fieldOf(property)
          const edit = model.edit(tab.index, field)
          return edit === undefined || field.kind === 'secret' ? undefined : model.valueOf(field, edit)
        }
        const now = (property: string) => history.now(property).value
        return colleague.save(properties, mine, now, random)
      }
      await model.refresh(tab.index)
      await runStep(step, { tab, random, saveAsColleague, colleague, note, model, services })
      const pageError = pageErrors[0]
      if (pageError !== undefined) throw new InvariantViolation('the page throws no error', pageError)
      // without this check, the next step may meet a save or an operation in progress
      if (random.chance(0.6)) await tab.check()
    }
    await colleague.waitUntilIdle()
    for (const tab of tabs) await tab.check()
    return { violation: null, steps: at + 1, log }
  } catch (error) {
    const { promise, seen } =
      error instanceof InvariantViolation
        ? error
        : {
            promise: 'the session runs',
            seen: error instanceof Error ? String(error.stack) : String(error),
          }
    return { violation: { promise, seen, step: at }, steps: at + 1, log }
  } finally {
    for (const page of pages) await page.close()
  }
}

/** Checks a snapshot that the person saved: it contains only their edits, and overwrites nothing that they have not seen. */
function checkSave(model: Model, { version, savedBy, cause, properties }: SavedSnapshot): void {
  if (savedBy !== 'olivia' || cause !== 'SAVE') return
  model.noteSentSecrets(version)
  for (const property of properties) {
    const field = FIELDS.find((one) => one.property === property)
    const mine = model.sent?.edits.get(property)
    if (model.sent === null || field === undefined || mine === undefined)
      throw new InvariantViolation('only my edits are saved', `${property} in snapshot ${version}`)
    const after = model.history.since(property, version)[0]
    const wanted = mine.isRemoved ? null : valueOf(field.kind, mine.content)
    const isMine = after !== undefined && wanted !== undefined && isMeant(wanted, after.value)
    if (field.kind !== 'secret' && !isMine)
      throw new InvariantViolation(
        'what is saved is what I typed',
        `${property} is ${JSON.stringify(after?.value)}, I typed ${JSON.stringify(mine.content)}`,
      )
    const overwritten = model.history.before(property, version)
    const wasSeen =
      field.kind === 'secret'
        ? (overwritten?.version ?? 0) <= mine.seenVersion
        : mine.seen.some((value) => sameValue(value, overwritten?.value ?? null))
    if (!wasSeen)
      throw new InvariantViolation(
        'nothing is overwritten that I did not see',
        `${property} was ${JSON.stringify(overwritten?.value)} of snapshot ${overwritten?.version}, I had seen ${JSON.stringify(mine.seen)} up to ${mine.seenVersion}`,
      )
    model.set(model.sent.tab, field, null)
  }
}

import type { BrowserContext } from '@playwright/test'
import { deepEqual } from '#contract/json-schema/json.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { until } from '#runtime/testing/stream.ts'
import type { Violation } from '../suite.ts'
import { configurationPath, locatorOf, type World } from '../public/world.ts'
import { download, editNote, importFile, openForm, resetInvalid, save, showModule, touch } from './page.ts'
import { CANARY, expectedOf, isSecret, NOTE, NOTE_MODULE, trialsOf, type Trial } from './slots.ts'

/** The scope whose values go through the page, and those into which its files are imported. */
export interface Scopes {
  edited: Scope
  JSON: Scope
  YAML: Scope
}

type Found = Readonly<Record<string, JsonValue | undefined>>

/** One value for each slot: through the API to the plugin, through the page, and as files into other scopes. */
export async function runBatch(
  world: World,
  context: BrowserContext,
  scopes: Scopes,
  { seed, isQuick }: { seed: number; isQuick: boolean },
): Promise<Violation[]> {
  const violations: Violation[] = []
  const trials = trialsOf(seed, isQuick)
  /** Slots with a violation, whose later places would only repeat it. */
  const broken = new Set<string>()
  const report = (property: string, seen: string): void => {
    broken.add(property)
    violations.push({ promise: 'round trip', seen: `${property}: ${seen}`, seed })
  }
  const compare = (
    place: string,
    found: Found,
    expected: (trial: Trial) => JsonValue,
    hasSecrets: boolean,
  ): void => {
    for (const trial of trials) {
      const { property } = trial.slot
      if (broken.has(property) || (isSecret(trial.slot) && !hasSecrets)) continue
      const [meant, is] = [expected(trial), found[property]]
      if (!deepEqual(meant, is)) report(property, `${show(meant)} is ${show(is)} ${place}`)
    }
  }
  const compareEverywhere = async (
    place: string,
    scope: Scope,
    expected: (trial: Trial) => JsonValue,
    hasSecrets: boolean,
  ) => {
    await idle(world, scope)
    compare(`at the plugin ${place}`, world.valuesAtPlugin(scope), expected, hasSecrets)
    compare(`in the console ${place}`, await world.valuesInConsole(scope), expected, false)
  }

  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error.stack)))
  page.on('dialog', (dialog) => void dialog.accept())
  try {
    await saveByApi(world, scopes.edited, trials)
    await compareEverywhere('after the API', scopes.edited, ({ value }) => value, true)
    await openForm(page, scopes.edited)
    for (const [module, ofModule] of Map.groupBy(trials, ({ slot }) => slot.module)) {
      await showModule(page, module)
      for (const trial of ofModule)
        await touch(page, trial).catch((error: unknown) =>
          report(trial.slot.property, `cannot be edited with ${show(trial.value)}: ${messageOf(error)}`),
        )
      for (const { property, said } of await resetInvalid(page))
        report(
          property,
          `is refused by the page: ${said}; ${show(trials.find(({ slot }) => slot.property === property)?.value)}`,
        )
    }
    await showModule(page, NOTE_MODULE)
    await editNote(page, `batch ${seed}`)
    await save(page)
    await compareEverywhere('after the page', scopes.edited, expectedOf, true)
    // the page has the newest snapshot
    await openForm(page, scopes.edited)
    for (const format of ['JSON', 'YAML'] as const) {
      const text = await download(page, format)
      if (text.includes(CANARY)) report(NOTE, `a secret is in the ${format} file`)
      const target = await context.newPage()
      target.on('pageerror', (error) => errors.push(String(error.stack)))
      try {
        await openForm(target, scopes[format])
        await importFile(target, format, text)
        await save(target)
        await compareEverywhere(`after an import of ${format}`, scopes[format], expectedOf, false)
      } finally {
        await target.close()
      }
    }
    for (const error of errors) report(NOTE, `the page throws ${error}`)
  } catch (error) {
    report(NOTE, messageOf(error))
  } finally {
    await page.close()
  }
  return violations
}

const show = (value: JsonValue | undefined): string => {
  const text = JSON.stringify(value) ?? 'not there'
  return text.length > 400 ? `${text.slice(0, 400)}…` : text
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 1_000)

async function saveByApi(world: World, scope: Scope, trials: readonly Trial[]): Promise<void> {
  const changes: Record<string, Record<string, TypedValue>> = {}
  for (const { slot, value } of trials) {
    const locator = locatorOf(slot.module)
    changes[locator] = {
      ...changes[locator],
      [slot.property]: isSecret(slot) ? wrapSensitive(value) : wrapData(value),
    }
  }
  const { snapshotVersion } = await world.configuration(scope)
  const body = { snapshotVersion, changes }
  const { status, json } = await world.send('PATCH', configurationPath(scope), JSON.stringify(body))
  if (status !== 200) throw new Error(`The API answers ${status}: ${JSON.stringify(json).slice(0, 1_000)}`)
}

/** Waits until no operation is in progress. */
const idle = (world: World, scope: Scope): Promise<void> =>
  until(async () => {
    const { resources } = await world.configuration(scope)
    return Object.values(resources).every(({ claim }) => claim === null)
  })

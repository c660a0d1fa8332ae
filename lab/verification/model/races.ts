import fc from 'fast-check'
import { aimedDrafts, commandOf, firstDrafts, ruleOf } from './command.ts'
import type { Command, Draft } from './command.ts'
import { awaitOneOf } from './compare.ts'
import { describe, runDrafts } from './run.ts'
import type { Model } from './state.ts'
import type { CommandAnswer, TestScope } from './test-scope.ts'
import { work } from './work.ts'

// Conflicting commands, sent concurrently. The outcome must be that of some order of them, with any progress of the workers
// in between.

const CONFLICTS: readonly (readonly Command['kind'][])[] = [
  ['save', 'save'],
  ['save', 'save', 'save'],
  ['save', 'detach'],
  ['retry', 'takeover'],
  ['takeover', 'takeover'],
  ['retry', 'retry', 'takeover'],
  ['install', 'install'],
  ['upgrade', 'save'],
  ['upgrade', 'detach', 'save'],
  ['mode', 'takeover'],
  ['mode', 'retry', 'save'],
  ['local-service', 'local-service'],
  ['make-credential', 'make-credential', 'make-credential'],
  ['publish', 'publish'],
]

export interface Race {
  before: Draft[]
  racers: Draft[]
}

export const races: fc.Arbitrary<Race> = fc.constantFrom(...CONFLICTS).chain((kinds) =>
  fc.record({
    before: fc
      .tuple(
        firstDrafts,
        fc.array(aimedDrafts(['install', 'save', 'upgrade', 'detach', 'mode']), {
          minLength: 1,
          maxLength: 5,
        }),
      )
      .map((drafts) => drafts.flat()),
    racers: fc.tuple(...kinds.map((kind) => aimedDrafts([kind]))),
  }),
)

/** Throws if no order explains the outcome. False if there were not enough commands for a race. */
export async function runRace(model: Model, scope: TestScope, { before, racers }: Race): Promise<boolean> {
  await runDrafts(model, scope, before)
  const commands = racers.flatMap((draft) => commandOf(model, draft) ?? [])
  if (commands.length < 2) return false
  const raced = await Promise.all(
    commands.map(async (command) => ({ command, answer: await scope.perform(model, command, false) })),
  )
  const possible = orders(raced).flatMap((order) => outcomesOf(model, order))
  const answers = raced.map(({ command, answer }) => `${describe(command)} → ${answer.code}`).join(' | ')
  if (possible.length === 0) throw new Error(`no order gives these answers: ${answers}`)
  const outcome = await awaitOneOf(scope, possible)
  if ('difference' in outcome) throw new Error(`no order gives this state: ${answers}: ${outcome.difference}`)
  return true
}

interface Raced {
  command: Command
  answer: CommandAnswer
}

/** The models after this order, one for each possible progress of the workers; none if a response does not match. */
function outcomesOf(model: Model, order: readonly Raced[]): Model[] {
  let models = [structuredClone(model)]
  for (const { command, answer } of order) {
    models = models.flatMap((before) =>
      (['none', 'resources', 'end'] as const).flatMap((progress) => {
        const after = structuredClone(before)
        if (progress !== 'none') work(after, progress)
        const { codes, effect } = ruleOf(after, command)
        if (!codes.includes(answer.code)) return []
        effect?.(answer.ids)
        return [after]
      }),
    )
  }
  for (const after of models) work(after)
  return models
}

function orders<Item>(items: readonly Item[]): Item[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((first, index) =>
    orders(items.filter((_, other) => other !== index)).map((rest) => [first, ...rest]),
  )
}

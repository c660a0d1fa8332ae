import fc from 'fast-check'
import { commandOf, drafts, ruleOf } from './command.ts'
import type { Command, Draft } from './command.ts'
import { awaitOneOf } from './compare.ts'
import type { Answered, Ground } from './ground.ts'
import { step, tell } from './run.ts'
import type { Model } from './state.ts'
import { work } from './work.ts'

// Commands that conflict, at the same time. The outcome must be that of one after the other, in some order, with the
// workers going on in between as far as they like.

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

const aimed = (kinds: readonly Command['kind'][]): fc.Arbitrary<Draft> =>
  drafts(kinds).map((draft) => ({ ...draft, isAimed: true }))

export interface Race {
  before: Draft[]
  racers: Draft[]
}

export const races: fc.Arbitrary<Race> = fc.constantFrom(...CONFLICTS).chain((kinds) =>
  fc.record({
    before: fc
      .tuple(
        // there is something to conflict about, and often something that has failed
        aimed(['install']),
        aimed(['mode']),
        fc.array(aimed(['install', 'save', 'upgrade', 'detach', 'mode']), { minLength: 1, maxLength: 5 }),
      )
      .map(([first, mode, more]) => [first, mode, ...more]),
    racers: fc.tuple(...kinds.map((kind) => aimed([kind]))),
  }),
)

/** Throws where the outcome is that of no order. */
export async function race(model: Model, ground: Ground, { before, racers }: Race): Promise<boolean> {
  for (const draft of before) {
    const command = commandOf(model, draft)
    if (command !== null) await step(model, ground, command, false)
  }
  const commands = racers.flatMap((draft) => commandOf(model, draft) ?? [])
  if (commands.length < 2) return false
  const answers = await Promise.all(commands.map((command) => ground.perform(model, command, false)))
  const raced = commands.map((command, index) => ({ command, answer: answers[index] }))
  const possible = orders(raced).flatMap((order) => outcomesOf(model, order))
  const told = raced.map(({ command, answer }) => `${tell(command)} → ${answer?.code}`).join(' | ')
  if (possible.length === 0) throw new Error(`no order gives these answers: ${told}`)
  const outcome = await awaitOneOf(ground, possible)
  if ('seen' in outcome) throw new Error(`no order leads there: ${told}: ${outcome.seen}`)
  return true
}

interface Raced {
  command: Command
  answer: Answered | undefined
}

/** The models after this order, for each way in which the workers may have gone on between; none where an answer is wrong. */
function outcomesOf(model: Model, order: readonly Raced[]): Model[] {
  let models = [structuredClone(model)]
  for (const { command, answer } of order) {
    models = models.flatMap((before) =>
      (['not', 'resources', 'end'] as const).flatMap((until) => {
        const after = structuredClone(before)
        if (until !== 'not') work(after, until)
        const { codes, effect } = ruleOf(after, command)
        if (answer === undefined || !codes.includes(answer.code)) return []
        effect?.(answer.named)
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

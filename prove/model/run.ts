import fc from 'fast-check'
import { awaitOneOf } from './compare.ts'
import { commandOf, drafts, ruleOf } from './command.ts'
import type { Command, Draft } from './command.ts'
import type { Ground } from './ground.ts'
import type { Model } from './state.ts'
import { work } from './work.ts'

/** One command of a run: it is done to the runtime and to the model, and both must say the same afterwards. */
class Step implements fc.AsyncCommand<Model, Ground> {
  readonly draft: Draft
  private told = ''

  constructor(draft: Draft) {
    this.draft = draft
  }

  check(model: Readonly<Model>): boolean {
    return commandOf(model, this.draft) !== null
  }

  async run(model: Model, ground: Ground): Promise<void> {
    const command = commandOf(model, this.draft)
    if (command === null) return
    this.told = tell(command)
    await step(model, ground, command, this.draft.which % 4 === 1)
  }

  toString(): string {
    return this.told
  }
}

export const runs = fc.commands([drafts().map((draft) => new Step(draft))], { maxCommands: 30, size: 'max' })

/** Throws where the runtime does not do what the rules say. */
export async function step(
  model: Model,
  ground: Ground,
  command: Command,
  isRepeated: boolean,
): Promise<void> {
  const { codes, effect } = ruleOf(model, command)
  const { code, named } = await ground.perform(model, command, isRepeated)
  if (!codes.includes(code))
    throw new Error(`${tell(command)} should be answered with ${codes.join(' or ')} and was with ${code}`)
  effect?.(named)
  work(model)
  const outcome = await awaitOneOf(ground, [model])
  if ('seen' in outcome) throw new Error(`after ${tell(command)}: ${outcome.seen}`)
}

export function tell(command: Command): string {
  return JSON.stringify(command, (_, value: unknown) =>
    value instanceof Map ? Object.fromEntries(value) : value,
  )
}

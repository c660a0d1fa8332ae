import fc from 'fast-check'
import { awaitOneOf } from './compare.ts'
import { commandOf, drafts, ruleOf } from './command.ts'
import type { Command, Draft } from './command.ts'
import type { Model } from './state.ts'
import type { TestScope } from './test-scope.ts'
import { work } from './work.ts'

/** A command of a run, applied to the runtime and to the model, which must agree afterwards. */
class Step implements fc.AsyncCommand<Model, TestScope> {
  readonly draft: Draft
  private description = ''

  constructor(draft: Draft) {
    this.draft = draft
  }

  check(model: Readonly<Model>): boolean {
    return commandOf(model, this.draft) !== null
  }

  async run(model: Model, scope: TestScope): Promise<void> {
    const command = commandOf(model, this.draft)
    if (command === null) return
    this.description = describe(command)
    await runStep(model, scope, command, this.draft.which % 4 === 1)
  }

  toString(): string {
    return this.description
  }
}

export const runs = fc.commands([drafts().map((draft) => new Step(draft))], { maxCommands: 30, size: 'max' })

/** The same for drafts that fast-check does not shrink one by one. */
export async function runDrafts(model: Model, scope: TestScope, drafted: readonly Draft[]): Promise<void> {
  for (const draft of drafted) {
    const command = commandOf(model, draft)
    if (command !== null) await runStep(model, scope, command, false)
  }
}

/** Throws if the runtime does not do what the rules say. */
async function runStep(model: Model, scope: TestScope, command: Command, isRepeated: boolean): Promise<void> {
  const { codes, effect } = ruleOf(model, command)
  const { code, ids } = await scope.perform(model, command, isRepeated)
  if (!codes.includes(code))
    throw new Error(`${describe(command)} should be answered with ${codes.join(' or ')} and was with ${code}`)
  effect?.(ids)
  work(model)
  const outcome = await awaitOneOf(scope, [model])
  if ('difference' in outcome) throw new Error(`after ${describe(command)}: ${outcome.difference}`)
}

export function describe(command: Command): string {
  return JSON.stringify(command, (_, value: unknown) =>
    value instanceof Map ? Object.fromEntries(value) : value,
  )
}

import { SeededRandom } from '../seeded-random.ts'
import { EDITABLE } from './bundle.ts'

/** One step of a trial. `seed` is for its own random choices, so that it stays the same when other steps are removed. */
export type Step = { seed: number } & (
  | { kind: 'edit' | 'document'; tab: number; property: string }
  | { kind: 'reset'; tab: number; property: string }
  | { kind: 'open'; tab: number; property: string }
  | { kind: 'blur' | 'reload' | 'discard' | 'review' | 'wait'; tab: number }
  | { kind: 'colleague'; properties: string[] }
)

const MIN_STEPS = 14
const MAX_STEPS = 36

/** The steps of the trial with this seed. */
export function stepsOf(seed: number): Step[] {
  const random = new SeededRandom(seed)
  const usesTwoTabs = random.chance(0.35)
  // most steps use a few properties, so that edits often collide with what the colleague saves
  const chosen = Array.from({ length: 1 + random.below(3) }, () => random.pick(EDITABLE).property)
  return Array.from({ length: MIN_STEPS + random.below(MAX_STEPS - MIN_STEPS) }, () =>
    anyStep(random, chosen, usesTwoTabs && random.chance(0.4) ? 1 : 0),
  )
}

function anyStep(random: SeededRandom, chosen: readonly string[], tab: number): Step {
  const seed = random.below(2 ** 32)
  const property = random.chance(0.85) ? random.pick(chosen) : random.pick(EDITABLE).property
  const chance = random.below(100)
  if (chance < 40) return { kind: 'edit', tab, property, seed }
  if (chance < 48) return { kind: 'document', tab, property, seed }
  if (chance < 72) {
    const another = () => (random.chance(0.75) ? random.pick(chosen) : random.pick(EDITABLE).property)
    return { kind: 'colleague', properties: random.chance(0.25) ? [property, another()] : [another()], seed }
  }
  if (chance < 76) return { kind: 'reset', tab, property, seed }
  if (chance < 79) return { kind: 'open', tab, property, seed }
  if (chance < 83) return { kind: 'blur', tab, seed }
  if (chance < 87) return { kind: 'reload', tab, seed }
  if (chance < 89) return { kind: 'discard', tab, seed }
  if (chance < 92) return { kind: 'wait', tab, seed }
  return { kind: 'review', tab, seed }
}

export function describeStep(step: Step): string {
  const place = 'property' in step ? ` ${step.property}` : ''
  const tab = 'tab' in step && step.tab > 0 ? ' in the second tab' : ''
  return `${step.kind}${place}${tab}`
}

import fc from 'fast-check'
import type { AnyTarget, Target } from './target.ts'

/** No input may take longer, however busy the machine: one that does is tried once more before it is told. */
const LONGEST_MS = 2_000
const SHOWN = 2_000

const prototypes = [Object.prototype, Array.prototype, String.prototype, Function.prototype]
const countNames = (): number => prototypes.flatMap(Reflect.ownKeys).length

/** Makes a target that can be run with the inputs that a seed makes; the smallest input that fails is told. */
export function target<Input>(given: Target<Input>): AnyTarget {
  const { name, family, share = 1, regressions = [] } = given
  const names = countNames()
  const attempt = async (input: Input): Promise<void> => {
    const first = await timed(given, input)
    const took = first > LONGEST_MS ? await timed(given, input) : first
    if (took > LONGEST_MS) throw new Error(`took ${Math.round(took)} ms`)
    if (countNames() !== names) throw new Error('a prototype has another property than before')
  }
  return {
    name,
    family,
    share,
    async run({ runs, seed }) {
      const details = await fc.check(fc.asyncProperty(given.input, attempt), {
        numRuns: runs,
        seed,
        examples: regressions.map((input): [Input] => [input]),
      })
      if (!details.failed) return null
      const cause = details.errorInstance instanceof Error ? details.errorInstance : null
      const input = show(details.counterexample)
      return `${cause?.message ?? 'failed'} with ${input.slice(0, SHOWN)}`
    },
  }
}

/** As JSON; bytes as a text that Buffer.from(…, 'latin1') reads. */
function show(input: unknown): string {
  return JSON.stringify(input, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  )
}

async function timed<Input>({ check }: Target<Input>, input: Input): Promise<number> {
  const started = performance.now()
  const pending = check(input)
  const problem = pending instanceof Promise ? await pending : pending
  if (problem !== null) throw new Error(problem)
  return performance.now() - started
}

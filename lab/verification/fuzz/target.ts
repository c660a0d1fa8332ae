import fc from 'fast-check'

/** `structured` inputs are values that were valid before a few edits; `bytes` are texts and bytes that were. */
export type Family = 'structured' | 'bytes'

/** What is wrong with the result for an input, or null. An exception is wrong too. */
type Check<Input> = (input: Input) => string | null | Promise<string | null>

interface Options<Input> {
  /** Its share of the family's inputs; default 1. */
  share?: number
  /** Inputs that once revealed a bug; they always run first. */
  regressions?: readonly Input[]
}

/** A parser or decision that is run with generated inputs. */
export interface Target {
  name: string
  family: Family
  share: number
  /** Returns the smallest input that fails and why, or null. */
  run(options: { runs: number; seed: number }): Promise<string | null>
}

/** No input may take longer; a slow one is tried once more, because the machine may be busy. */
const MAX_MS = 2_000
const MAX_SHOWN = 2_000

const prototypes = [Object.prototype, Array.prototype, String.prototype, Function.prototype]
const countPrototypeProperties = (): number => prototypes.flatMap(Reflect.ownKeys).length
const PROPERTIES = countPrototypeProperties()

const targetOf =
  (family: Family) =>
  <Input>(
    name: string,
    input: fc.Arbitrary<Input>,
    check: Check<Input>,
    { share = 1, regressions = [] }: Options<Input> = {},
  ): Target => ({
    name,
    family,
    share,
    async run({ runs, seed }) {
      const details = await fc.check(
        fc.asyncProperty(input, (value) => attempt(check, value)),
        { numRuns: runs, seed, examples: regressions.map((value): [Input] => [value]) },
      )
      if (!details.failed) return null
      const cause = details.errorInstance instanceof Error ? details.errorInstance.message : 'failed'
      return `${cause} with ${show(details.counterexample).slice(0, MAX_SHOWN)}`
    },
  })

export const structured = targetOf('structured')
export const bytes = targetOf('bytes')

async function attempt<Input>(check: Check<Input>, input: Input): Promise<void> {
  const timeOf = async (): Promise<number> => {
    const started = performance.now()
    const problem = await check(input)
    if (problem !== null) throw new Error(problem)
    return performance.now() - started
  }
  const first = await timeOf()
  const ms = first > MAX_MS ? await timeOf() : first
  if (ms > MAX_MS) throw new Error(`took ${Math.round(ms)} ms`)
  if (countPrototypeProperties() !== PROPERTIES) throw new Error('a prototype has a new property')
}

/** As JSON; bytes as a text that Buffer.from(…, 'latin1') reads. */
function show(input: unknown): string {
  return JSON.stringify(input, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  )
}

import { PATTERN_MAX } from './json.ts'
import {
  isAnchored,
  isFixed,
  neededPart,
  PatternRefused,
  readPattern,
  repeats,
  TOO_COMPLEX,
  type Node,
} from './pattern-tree.ts'

/**
 * Estimates how long a regular expression from an author can keep a browser or a runtime busy.
 *
 * JavaScript matches by backtracking: if a text can be matched in several ways, each way is tried before the match
 * fails. `(a+)+$` has exponentially many, and thirty characters hang a process. The number of ways can be decided
 * (Weber and Seidl, "On the degree of ambiguity of finite automata", 1991): the pattern becomes an automaton without
 * empty moves, whose states are the characters of the pattern.
 *
 * - Exponential: a state returns to itself in two different ways over one text. Rejected.
 * - Otherwise the ways grow with a power of the text length, the degree: one more for each loop that can hand text over
 *   to a later loop. `^[a-z]+$` has degree 1, `^.*=.*$` 2.
 * - Without loops there can still be too many, as in `^a?a?a?a?…$`: they are counted over the worst short text that a
 *   search finds.
 *
 * The degree alone says too little: optional parts multiply the ways by a constant, and `^(?:(?:a?){2,}){0,3}$` takes
 * seconds for two hundred characters. So the steps over a short text are counted as well, and the degree extrapolates
 * them to the longest text on which the pattern may be tried.
 *
 * Approximations err on the safe side: a repetition of ten or more times counts as unbounded.
 */
export type PatternCost =
  | {
      usable: true
      degree: number
      /** Of a match on the worst text of SEARCH_LENGTH characters. */
      steps: number
      /** The length in characters up to which a text can be matched in about a second; Infinity if any can. */
      longest: number
    }
  | { usable: false; problem: string }

const STATES_MAX = 256
const MOVES_MAX = 16_000
const STEPS_MAX = 1_000_000
const UNBOUNDED_FROM = 10
const DEGREE_MAX = 4
const WAYS_MAX = 100_000
const SEARCH_LENGTH = 48
const SEARCH_WIDTH = 4
/** Steps that a move through a repetition within a repetition costs, measured in V8. */
const NESTED_STEPS = 8
/** Steps of a match: 2 to 6 ns each in V8. */
const MATCH_STEPS_MAX = 200_000_000
/** A pattern that is fast on a text of this length is tried on every text. */
const UNLIMITED_FROM = 1_000_000
/** Shorter limits than the steps allow, so that slow patterns are noticed by their authors. */
const LONGEST_BY_DEGREE: Readonly<Record<number, number>> = { 2: 10_000, 3: 1000, 4: 250 }

/** Documents have the same patterns as those before, and an analysis takes up to a tenth of a second. */
const known = new Map<string, PatternCost>()
const KNOWN_MAX = 2000

export function patternCost(pattern: string): PatternCost {
  const cost = known.get(pattern) ?? analyze(pattern)
  if (known.size >= KNOWN_MAX) known.delete(known.keys().next().value ?? '')
  known.set(pattern, cost)
  return cost
}

/** The steps of a match on a text of this length. */
export const matchSteps = ({ degree, steps }: PatternCost & { usable: true }, length: number): number =>
  steps * (length / SEARCH_LENGTH) ** degree

function analyze(pattern: string): PatternCost {
  if (pattern.length > PATTERN_MAX) return refuse(`Must be at most ${PATTERN_MAX} characters`)
  if (!compiles(pattern)) return refuse('Must be a regular expression of ECMAScript with the u flag')
  try {
    const { degree, steps } = growthOf(pattern)
    return degree <= DEGREE_MAX
      ? { usable: true, degree, steps, longest: longestFor(degree, steps) }
      : refuse('Takes too long on a long text: begin it with ^ and let fewer repetitions match the same text')
  } catch (error) {
    if (error instanceof PatternRefused) return refuse(error.message)
    throw error
  }
}

function compiles(pattern: string): boolean {
  try {
    // The interpreter uses the same flag.
    return new RegExp(pattern, 'u').unicode
  } catch {
    return false
  }
}

function longestFor(degree: number, steps: number): number {
  const affordable = Math.floor(SEARCH_LENGTH * (MATCH_STEPS_MAX / steps) ** (1 / degree))
  const longest = Math.min(affordable, LONGEST_BY_DEGREE[degree] ?? Infinity)
  return longest < UNLIMITED_FROM ? longest : Infinity
}

const refuse = (problem: string): PatternCost => ({ usable: false, problem })

const EXPONENTIAL =
  'Can take endlessly long: a repetition holds another, or alternatives, that match the same text in several ways'

// --- The pattern as an automaton -----------------------------------------------------------------------------------

const ANY_CHARACTER = (1n << 4096n) - 1n

type Part = { nullable: boolean; first: number[]; last: number[] }

const EMPTY_PART: Part = { nullable: true, first: [], last: [] }

class Automaton {
  readonly masks: bigint[] = []
  /** For each state, the states that can follow it, and in how many ways each. */
  readonly follow: Map<number, number>[] = []
  /** Look-ahead and look-behind parts, matched from their position; `repeated` if inside a loop. */
  readonly looks: { body: Node; repeated: boolean }[] = []
  /** How many times the steps of a move each nested repetition multiplies. */
  readonly #nested = new Map<Node, number>()
  #loops = 0
  #moves = 0

  add(node: Node): Part {
    switch (node.type) {
      case 'characters':
        return this.#addState(node.mask)
      case 'sequence':
        return node.items.reduce((before, item) => this.join(before, this.add(item)), EMPTY_PART)
      case 'choice':
        return this.#addChoice(node.options)
      case 'repeat':
        return this.#addRepeat(node)
      case 'look':
        this.looks.push({ body: node.body, repeated: this.#loops > 0 })
        return EMPTY_PART
      case 'start':
      case 'nothing':
        return EMPTY_PART
    }
  }

  join(before: Part, after: Part): Part {
    this.#connect(before.last, after.first)
    return {
      nullable: before.nullable && after.nullable,
      first: before.nullable ? [...before.first, ...after.first] : before.first,
      last: after.nullable ? [...before.last, ...after.last] : after.last,
    }
  }

  /**
   * A move through a repetition within a repetition also stores and restores the counts of both. If a round may be
   * empty, a match that fails tries each combination of empty rounds, which read nothing and so are not among the moves.
   */
  get stepsPerMove(): number {
    return [...this.#nested.values()].reduce((product, steps) => product * steps, 1)
  }

  addLoop(body: Node): Part {
    this.#loops += 1
    const part = this.add(body)
    this.#loops -= 1
    this.#connect(part.last, part.first)
    return part
  }

  #addState(mask: bigint): Part {
    const state = this.masks.push(mask) - 1
    if (state >= STATES_MAX) throw new PatternRefused(TOO_COMPLEX)
    this.follow.push(new Map())
    return { nullable: false, first: [state], last: [state] }
  }

  #addChoice(options: Node[]): Part {
    const parts = options.map((option) => this.add(option))
    return {
      nullable: parts.some((part) => part.nullable),
      first: parts.flatMap((part) => part.first),
      last: parts.flatMap((part) => part.last),
    }
  }

  #addRepeat(node: Node & { type: 'repeat' }): Part {
    const { body, min, max } = node
    if (max === 0) return EMPTY_PART
    const isLoop = max === Infinity || (max >= UNBOUNDED_FROM && !(min === max && isFixed(body)))
    if (isLoop) {
      const part = this.addLoop(body)
      this.#weigh(node, part, min + 1)
      if (!part.nullable) return { ...part, nullable: min === 0 }
      // Required repetitions may match nothing; every choice of the ones that do is another way.
      if (min >= UNBOUNDED_FROM) throw new PatternRefused(EXPONENTIAL)
      let whole = part
      for (let required = min; required > 1; required -= 1) whole = this.join(this.add(body), whole)
      return whole
    }
    if (max >= UNBOUNDED_FROM) return this.join(this.add(body), this.add(body))
    let rest = EMPTY_PART
    for (let round = max; round > 0; round -= 1) {
      const part = this.add(body)
      this.#weigh(node, part, max)
      rest = this.join(part, rest)
      if (round > min) rest = { ...rest, nullable: true }
    }
    return rest
  }

  #weigh(node: Node & { type: 'repeat' }, part: Part, rounds: number): void {
    const empty = part.nullable ? (rounds + 1) ** 2 : 1
    if (rounds > 1 && repeats(node.body)) this.#nested.set(node, Math.max(NESTED_STEPS, empty))
  }

  #connect(from: number[], to: number[]): void {
    this.#moves += from.length * to.length
    if (this.#moves > MOVES_MAX) throw new PatternRefused(TOO_COMPLEX)
    for (const state of from) {
      const follow = this.follow[state]
      for (const next of to) follow?.set(next, (follow.get(next) ?? 0) + 1)
    }
  }
}

// --- Counting ways -------------------------------------------------------------------------------------------------

/** The degree, and the steps for the worst text of SEARCH_LENGTH characters. */
type Growth = { degree: number; steps: number }

function growthOf(pattern: string): Growth {
  const tree = readPattern(pattern)
  if (isAnchored(tree)) return growthOfTree(tree, { searches: false })
  // A pattern without ^ is tried at every position, which is a loop over everything before it. Only its needed part can
  // fail there; the whole is matched once, where that part is found.
  const [search, match] = [
    growthOfTree(neededPart(tree), { searches: true }),
    growthOfTree(tree, { searches: false }),
  ]
  return { degree: Math.max(search.degree, match.degree), steps: Math.max(search.steps, match.steps) }
}

function growthOfTree(tree: Node, { searches }: { searches: boolean }): Growth {
  const automaton = new Automaton()
  const everything: Node = { type: 'characters', mask: ANY_CHARACTER }
  const before = searches ? { ...automaton.addLoop(everything), nullable: true } : EMPTY_PART
  const whole = automaton.join(before, automaton.add(tree))
  const ahead = automaton.looks.map(({ body, repeated }) => {
    const { degree, steps } = growthOfTree(body, { searches: false })
    return repeated || searches ? { degree: degree + 1, steps: steps * SEARCH_LENGTH } : { degree, steps }
  })
  const loops = findLoops(automaton)
  for (const loop of loops) if (isExponential(automaton, loop)) throw new PatternRefused(EXPONENTIAL)
  const degree = Math.max(1, degreeOfLoops(automaton, loops), ...ahead.map((look) => look.degree))
  if (degree > DEGREE_MAX) return { degree, steps: Infinity }
  const outermost = worstCaseSteps(automaton, whole.first)
  // A long beginning can hide a slow loop from a search over a short text.
  const inLoops = loops.map(({ states }) => worstCaseSteps(automaton, [...states].slice(0, 1)))
  const steps = Math.max(outermost, ...inLoops) * automaton.stepsPerMove
  return { degree, steps: ahead.reduce((sum, look) => sum + look.steps, steps) }
}

type Loop = { states: Set<number>; mask: bigint; reaches: Set<number> }

/** The states that can return to themselves, grouped by mutual reachability. */
function findLoops({ follow, masks }: Automaton): Loop[] {
  const reach = follow.map((_, state) => reachable(follow, state, () => true))
  const loops: Loop[] = []
  const placed = new Set<number>()
  for (const [state, reaches] of reach.entries()) {
    if (placed.has(state) || !reaches.has(state)) continue
    const states = new Set([...reaches].filter((other) => reach[other]?.has(state)))
    for (const member of states) placed.add(member)
    loops.push({
      states,
      mask: [...states].reduce((mask, member) => mask | (masks[member] ?? 0n), 0n),
      reaches,
    })
  }
  return loops
}

function reachable(
  follow: Map<number, number>[],
  from: number,
  mayEnter: (state: number) => boolean,
): Set<number> {
  const seen = new Set<number>()
  const open = [from]
  for (let state = open.pop(); state !== undefined; state = open.pop())
    for (const next of follow[state]?.keys() ?? [])
      if (!seen.has(next) && mayEnter(next)) {
        seen.add(next)
        open.push(next)
      }
  return seen
}

/** True if a state of the loop returns to itself in two ways over one text. */
function isExponential({ follow, masks }: Automaton, { states }: Loop): boolean {
  let steps = 0
  const open: [number, number][] = [...states].map((state) => [state, state])
  const seen = new Set<number>()
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [left, right] = pair
    for (const [nextLeft, ways] of follow[left] ?? []) {
      if (!states.has(nextLeft)) continue
      if (left === right && ways > 1) return true
      for (const nextRight of follow[right]?.keys() ?? []) {
        if ((steps += 1) > STEPS_MAX) throw new PatternRefused(TOO_COMPLEX)
        if (!states.has(nextRight)) continue
        if (nextLeft === nextRight) {
          // Two different ways have met again.
          if (left !== right) return true
          continue
        }
        const key = nextLeft * STATES_MAX + nextRight
        if (seen.has(key) || ((masks[nextLeft] ?? 0n) & (masks[nextRight] ?? 0n)) === 0n) continue
        seen.add(key)
        open.push([nextLeft, nextRight])
      }
    }
  }
  return false
}

/** One for the longest loop, plus one for each loop on the path that can take over text from the one before it. */
function degreeOfLoops(automaton: Automaton, loops: Loop[]): number {
  const known = new Map<Loop, number>()
  const degreeTo = (loop: Loop): number => {
    const cached = known.get(loop)
    if (cached !== undefined) return cached
    let degree = 1
    for (const earlier of loops)
      if (earlier !== loop && [...loop.states].some((state) => earlier.reaches.has(state)))
        degree = Math.max(degree, degreeTo(earlier) + (canHandOver(automaton, earlier, loop) ? 1 : 0))
    known.set(loop, degree)
    return degree
  }
  return Math.max(0, ...loops.map(degreeTo))
}

function canHandOver({ follow, masks }: Automaton, from: Loop, to: Loop): boolean {
  const common = from.mask & to.mask
  if (common === 0n) return false
  const overlaps = (state: number): boolean => ((masks[state] ?? 0n) & common) !== 0n
  return [...from.states].some((state) =>
    [...reachable(follow, state, overlaps)].some((reached) => to.states.has(reached)),
  )
}

/**
 * The steps over the worst text of SEARCH_LENGTH characters that a beam search finds: the sum of the ways to read each
 * beginning of it. The search always extends with the characters that leave the most ways.
 */
function worstCaseSteps({ follow, masks }: Automaton, first: number[]): number {
  const letters = lettersOf(masks)
  let beam = [{ open: new Map(first.map((state) => [state, 1])), steps: 1 }]
  let worst = 1
  for (let length = 0; length < SEARCH_LENGTH && beam.length > 0; length += 1) {
    const ranked = beam
      .flatMap(({ open, steps }) =>
        letters.map((letter) => {
          const states = read(open, letter)
          const ways = [...states.values()].reduce((sum, count) => sum + count, 0)
          return { states, ways, steps: steps + ways }
        }),
      )
      .filter(({ ways }) => ways > 0)
      .sort((a, b) => b.ways - a.ways)
      .slice(0, SEARCH_WIDTH)
    if ((ranked[0]?.ways ?? 0) > WAYS_MAX) throw new PatternRefused(EXPONENTIAL)
    worst = Math.max(worst, ...ranked.map(({ steps }) => steps))
    beam = ranked.map(({ states, steps }) => ({ open: step(follow, states), steps }))
  }
  return worst
}

/** One set of states for each class of characters that the pattern distinguishes. */
function lettersOf(masks: bigint[]): Set<number>[] {
  const letters = new Map<string, Set<number>>()
  const bits = Math.max(
    0,
    ...masks.filter((mask) => mask !== ANY_CHARACTER).map((mask) => mask.toString(2).length),
  )
  for (let bit = 0; bit < bits; bit += 1) {
    const states = masks.flatMap((mask, state) => (((mask >> BigInt(bit)) & 1n) === 1n ? [state] : []))
    letters.set(states.join(), new Set(states))
  }
  return [...letters.values()]
}

const read = (open: Map<number, number>, letter: Set<number>): Map<number, number> =>
  new Map([...open].filter(([state]) => letter.has(state)))

function step(follow: Map<number, number>[], states: Map<number, number>): Map<number, number> {
  const open = new Map<number, number>()
  for (const [state, ways] of states)
    for (const [next, edges] of follow[state] ?? []) open.set(next, (open.get(next) ?? 0) + ways * edges)
  return open
}

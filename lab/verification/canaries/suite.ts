import { SeededRandom } from '../seeded-random.ts'
import type { Suite, SuiteReport, Violation } from '../suite.ts'
import { CANARY_KINDS } from './canaries.ts'
import type { Canaries } from './canaries.ts'
import { placesAtRest, placesOfAnswers, placesOfOutput } from './places.ts'
import type { Place } from './places.ts'
import { build, readOutbox, runRounds } from './run.ts'
import type { Incidents } from './run.ts'
import { startWorld } from './world.ts'
import type { World } from './world.ts'

const ROUNDS = { quick: 4, full: 60 }
const PROMISE = 'nothing of a token or a resolved address is kept'

/** After events and resolutions with faults, no token and no address is stored or said anywhere. */
export const CANARIES: Suite = {
  name: 'canaries',
  title: 'tokens and addresses of events and resolutions are searched in all that is stored and said',
  async run({ size, seed, count }) {
    const used = seed ?? 1
    const world = await startWorld(new SeededRandom(used))
    try {
      const random = new SeededRandom(used + 1)
      await build(world)
      const incidents = await runRounds(world, random, count ?? ROUNDS[size])
      const exercised = await whatHappened(world, incidents)
      const places = [...(await placesOfAnswers(world)), ...(await placesAtRest(world))]
      const violations = search(places, world.canaries).map((seen) => ({ promise: PROMISE, seen }))
      const proof = violations.length === 0 ? await provePlanted(world, places) : []
      return report(
        world.canaries,
        places,
        [...violations, ...proof, ...exercised.violations],
        [...exercised.lines],
        used,
      )
    } finally {
      await world.stop()
    }
  },
}

/** What is where it may not be, one line for each place and kind. */
function search(places: readonly Place[], canaries: Canaries): string[] {
  return places.flatMap(({ name, bytes, mayContain }) =>
    [...canaries.findIn(bytes)].flatMap(([kind, what]) =>
      mayContain.includes(kind) ? [] : [`${name} contains a ${kind} (${what})`],
    ),
  )
}

/**
 * Proves that the search can fail: a part of a token is given to a person as a note on an operation, and to both plugins
 * as something to say and to store. It must be reported wherever it then is, and behind everything else that was said.
 */
async function provePlanted(world: World, clean: readonly Place[]): Promise<Violation[]> {
  const { canaries, client, plugins } = world
  const planted = canaries.all('token').at(-1)?.slice(-60) ?? ''
  for (const { url } of plugins) await fetch(`${url}/plant`, { method: 'POST', body: planted })
  const [operation] = (await client.read('GET /operations', {})).items
  if (operation === undefined) throw new Error('there is no operation')
  const { operationId } = operation
  await client.write('POST /operations/{operationId}/notes', {
    params: { operationId },
    body: { text: planted },
  })
  const answer = Buffer.from(await world.askConsole(`/api/operations/${operationId}`))
  const found = search(
    [
      { name: 'console', bytes: answer, mayContain: [] },
      ...placesOfOutput(world),
      ...(await placesAtRest(world)),
    ],
    canaries,
  )
  const missed = PLANTED.filter((start) => !found.some((seen) => seen.startsWith(start)))
  const blind = clean.filter(
    ({ name, bytes }) =>
      !name.startsWith('files ') &&
      !canaries.findIn(Buffer.concat([bytes, Buffer.from(planted)])).has('token'),
  )
  const unseen = await plantEach(world, operationId)
  return [...missed, ...blind.map(({ name }) => name), ...unseen].map((name) => ({
    promise: 'a planted secret is found',
    seen: `not in: ${name}`,
  }))
}

/** How a secret is spelled where it leaks. */
const LEAKS: readonly ((secret: string) => string)[] = [
  (secret) => `it is ${secret}`,
  (secret) => Buffer.from(secret).toString('base64'),
  (secret) => Buffer.from(secret).toString('hex'),
  (secret) => encodeURIComponent(secret),
  (secret) => JSON.stringify({ body: JSON.stringify({ secret }) }),
]

/** Leaks one secret of each kind, each spelled in another way, as a note. Returns the kinds that are not found where it is read. */
async function plantEach({ canaries, client, askConsole }: World, operationId: string): Promise<string[]> {
  for (const [at, kind] of CANARY_KINDS.entries()) {
    const secret = canaries.all(kind).at(-1) ?? ''
    // a note is not a place for a whole token; a part of it is searched in plain text
    const leak = LEAKS[at % LEAKS.length]
    const text = kind === 'token' || leak === undefined ? secret.slice(-60) : leak(secret)
    const params = { operationId }
    await client.write('POST /operations/{operationId}/notes', { params, body: { text } })
  }
  const found = canaries.findIn(Buffer.from(await askConsole(`/api/operations/${operationId}`)))
  return CANARY_KINDS.filter((kind) => !found.has(kind)).map((kind) => `the answer with a leaked ${kind}`)
}

/** Where the planted token arrives. */
const PLANTED = [
  'console',
  'table runtime.',
  'table public.note of the plugin',
  'files of the database server: base/',
  'files of the database server: pg_wal/',
  "files of the plugin's database",
  'files of alpha: plugin.sqlite',
  'output of alpha',
  'output of beta',
]

/** A search in a run in which little happened would prove little. */
async function whatHappened(
  { platform, plugins, canaries, output }: World,
  { rotations, pluginKills, runtimeKills }: Incidents,
): Promise<{ lines: string[]; violations: Violation[] }> {
  const outboxes = await Promise.all(plugins.map(async (plugin) => (await readOutbox(plugin)).outbox))
  const delivered = outboxes.map(({ counts }) => counts.DELIVERED)
  const retried = outboxes.flatMap(({ events }) => events).filter(({ attempts }) => attempts > 1).length
  const faults = (kind: 'refuse' | 'repeat' | 'lose' | 'cut') =>
    [platform, ...plugins.flatMap(({ lifecycle, receiver }) => [lifecycle, receiver])].reduce(
      (sum, { counts }) => sum + counts[kind],
      0,
    )
  const figures = {
    'events delivered by alpha': delivered[0] ?? 0,
    'events delivered by beta': delivered[1] ?? 0,
    'of them retried': retried,
    'connections cut': faults('cut'),
    'answers lost': faults('lose'),
    'refusals with the secrets': faults('refuse') + faults('repeat'),
    'credentials rotated': rotations,
    'plugins killed': pluginKills,
    'runtimes killed': runtimeKills,
    ...Object.fromEntries(CANARY_KINDS.map((kind) => [`${kind} canaries`, canaries.count(kind)])),
    'lines of output': [...output.values()].reduce((sum, lines) => sum + lines.length, 0),
  }
  return {
    lines: [
      Object.entries(figures)
        .map(([name, figure]) => `${name} ${figure}`)
        .join(', '),
    ],
    violations: Object.entries(figures).flatMap(([name, figure]) =>
      figure > 0 ? [] : [{ promise: 'the run exercises what it searches', seen: `${name}: 0` }],
    ),
  }
}

function report(
  canaries: Canaries,
  places: readonly Place[],
  violations: readonly Violation[],
  lines: string[],
  seed: number,
): SuiteReport {
  const bytes = places.reduce((sum, place) => sum + place.bytes.length, 0)
  const secrets = CANARY_KINDS.reduce((sum, kind) => sum + canaries.count(kind), 0)
  return {
    lines: [...lines, `${secrets} secrets in ${places.length} places with ${(bytes / 1e6).toFixed(0)} MB`],
    trials: { 'secrets searched': secrets, 'places searched': places.length },
    violations: violations.map((violation) => ({ ...violation, seed })),
  }
}

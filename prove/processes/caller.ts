import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnswerOf, CallOf } from '#contract/endpoint/endpoint.ts'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import type { RuntimeApi } from '#contract/runtime-api/rows.ts'
import { createActorAssertions } from '#bff/actor-assertion.ts'
import type { AssertedPerson, AssertionKey } from '#bff/actor-assertion.ts'
import { ConsoleFailure } from '#bff/failure.ts'
import { createRuntimeClient } from '#bff/runtime-client.ts'
import type { RuntimeCall, RuntimeClient } from '#bff/runtime-client.ts'
import type { Outbound } from '#http-kit/outbound.ts'

type Name = keyof RuntimeApi & string

export type Said<Endpoint extends Name> =
  | { isDone: true; data: AnswerOf<RuntimeApi[Endpoint]> }
  | { isDone: false; errorCode: string }

/** A person's browser and console in one: asks whichever replica answers, and repeats until one has. */
export interface Caller {
  read<Endpoint extends Name>(
    name: Endpoint,
    call: CallOf<RuntimeApi[Endpoint]>,
  ): Promise<AnswerOf<RuntimeApi[Endpoint]>>
  /** With one idempotency key, however often it must be sent. */
  write<Endpoint extends Name>(name: Endpoint, call: CallOf<RuntimeApi[Endpoint]>): Promise<Said<Endpoint>>
  /** What was asked for, and what was said. */
  writes: readonly SentWrite[]
  /** Sendings beyond the first of each write. */
  repeats(): number
}

/** A write, to be held against what is left of it in the end. */
export interface SentWrite {
  name: Name
  call: unknown
  requestId: string
  /** Every answer that came: `data`, or the code of the refusal. */
  answers: Said<Name>[]
}

export interface CallerOptions {
  outbound: Outbound
  /** `…/bundle-runtime/api` of every replica. */
  bases: readonly string[]
  credential: string
  key: AssertionKey
  person?: AssertedPerson
  /** How many of the writes that were answered are sent once more. */
  echoes?: () => boolean
  /** For one call of one replica with its retries; a replica that is suspended accepts the call and never answers. */
  timeoutMs?: number
  /** Until something is answered, however often it is sent. */
  patienceMs?: number
}

const EVERYTHING: AssertedPerson = {
  id: 'ada',
  name: 'Ada',
  grants: [{ permissions: [...PERMISSIONS], scope: null }],
}
/** What says nothing about the request itself: whether it was carried out is not known. */
const UNANSWERED = new Set([
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_INVALID',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
])

export function createCaller(options: CallerOptions): Caller {
  const { outbound, credential, person = EVERYTHING, patienceMs = 240_000, timeoutMs = 3_000 } = options
  const clients = options.bases.map((baseUrl) =>
    createRuntimeClient({ outbound, baseUrl, credential, budgetMs: timeoutMs }),
  )
  const assertion = createActorAssertions(options.key)
  let turn = 0
  let repeats = 0
  const writes: SentWrite[] = []

  /** The replica that answered last, until it does not. */
  const current = (): RuntimeClient => {
    const client = clients[turn % clients.length]
    if (client === undefined) throw new RangeError('a caller needs a replica')
    return client
  }

  /** Until some replica has an answer. */
  const ask = async (request: Omit<RuntimeCall, 'assertion'>): Promise<Said<Name>> => {
    const deadline = performance.now() + patienceMs
    for (;;) {
      try {
        // the client held it against the row of its endpoint
        const data = (await current()({ ...request, assertion: await assertion(person) })) as AnswerOf<
          RuntimeApi[Name]
        >
        return { isDone: true, data }
      } catch (error) {
        if (!(error instanceof ConsoleFailure)) throw error
        if (!UNANSWERED.has(error.code)) return { isDone: false, errorCode: error.code }
        if (performance.now() > deadline)
          throw new Error(
            `${request.name} was not answered within ${patienceMs / 1_000} s, at last: ${error.code}`,
            { cause: error },
          )
        turn++
        if (request.idempotencyKey !== null) repeats++
        await sleep(30)
      }
    }
  }

  return {
    writes,
    async read(name, call) {
      const said = await ask(requestOf(name, call, null))
      if (!said.isDone) throw new Error(`${name} is refused: ${said.errorCode}`)
      // what comes back is the answer of the endpoint that was asked
      return said.data as AnswerOf<RuntimeApi[typeof name]>
    },
    async write(name, call) {
      const request = requestOf(name, call, randomUUID())
      const sent: SentWrite = { name, call, requestId: request.requestId, answers: [] }
      writes.push(sent)
      const said = await ask(request)
      sent.answers.push(said)
      if (options.echoes?.() === true) {
        turn++
        sent.answers.push(await ask(request))
      }
      return said as Said<typeof name>
    },
    repeats: () => repeats,
  }
}

function requestOf<Endpoint extends Name>(
  name: Endpoint,
  call: CallOf<RuntimeApi[Endpoint]>,
  idempotencyKey: string | null,
): Omit<RuntimeCall, 'assertion'> {
  // every endpoint's call has some of these; nothing here asks for lists
  const { params = {}, body } = call as { params?: Record<string, string | number>; body?: unknown }
  return {
    name,
    params,
    query: new URLSearchParams(),
    body: body === undefined ? null : JSON.stringify(body),
    requestId: randomUUID(),
    idempotencyKey,
  }
}

import { setTimeout } from 'node:timers/promises'
import type { AnswerOf, CallOf } from '#contract/endpoint/endpoint.ts'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { RuntimeApi } from '#contract/runtime-api/rows.ts'
import { ConsoleFailure } from '#bff/failure.ts'
import type { RuntimeClient } from '#bff/runtime/runtime-client.ts'

/** A person of the demo, as named in the audit. */
export interface DemoPerson {
  id: string
  name: string
  grants: Grant[]
}

type Name = keyof RuntimeApi & string

/** Calls the runtime as a person; `step` names the call, so that building the demo again does nothing twice. */
export type DemoCaller = <Endpoint extends Name>(
  person: DemoPerson,
  name: Endpoint,
  call: CallOf<RuntimeApi[Endpoint]>,
  step?: string,
) => Promise<AnswerOf<RuntimeApi[Endpoint]>>

/** Uses the same path as the console, so the demo consists only of real requests. */
export function createDemoCaller(
  runtime: RuntimeClient,
  assertionOf: (person: DemoPerson & { authenticatedSeconds: number }) => Promise<string>,
): DemoCaller {
  return async (person, name, call, step) => {
    const {
      params = {},
      query = {},
      body,
    } = call as {
      params?: Record<string, string | number>
      query?: Record<string, string | number | undefined>
      body?: unknown
    }
    const present = Object.entries(query).filter(([, value]) => value !== undefined)
    const request = async () =>
      runtime({
        name,
        params,
        query: new URLSearchParams(present.map(([key, value]): [string, string] => [key, String(value)])),
        body: body === undefined ? null : JSON.stringify(body),
        assertion: await assertionOf({ ...person, authenticatedSeconds: 0 }),
        requestId: `demo-${step ?? 'read'}`.slice(0, 64),
        idempotencyKey: step === undefined ? null : `demo-${step}`,
      })
    // the client has validated it against the row that this type comes from
    return (await whenAvailable(request)) as AnswerOf<RuntimeApi[typeof name]>
  }
}

const TRIES = 60

/** Tries again while the runtime refuses because it has too much to do, as it may while a slow machine starts everything. */
async function whenAvailable<Answer>(request: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++)
    try {
      return await request()
    } catch (error) {
      const isBusy =
        error instanceof ConsoleFailure && error.code === 'SERVICE_UNAVAILABLE' && error.retryable
      if (!isBusy || tries === TRIES) throw error
      await setTimeout(1_000)
    }
}

import type { AnswerOf, CallOf } from '#contract/endpoint/endpoint.ts'
import type { Grant } from '#contract/endpoint/permission.ts'
import type { RuntimeApi } from '#contract/runtime-api/rows.ts'
import type { RuntimeClient } from '#bff/runtime-client.ts'

/** A person of the demo world, as the audit will name them. */
export interface DemoPerson {
  id: string
  name: string
  grants: Grant[]
}

type Name = keyof RuntimeApi & string

/** Calls the runtime as a person; `step` names the call, so that a repeated building of the world does nothing twice. */
export type DemoCaller = <Endpoint extends Name>(
  person: DemoPerson,
  name: Endpoint,
  call: CallOf<RuntimeApi[Endpoint]>,
  step?: string,
) => Promise<AnswerOf<RuntimeApi[Endpoint]>>

/** The way that the console itself goes, so that the demo world is made of nothing but real requests. */
export function createDemoCaller(
  runtime: RuntimeClient,
  assertionOf: (person: DemoPerson) => Promise<string>,
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
    const given = Object.entries(query).filter(([, value]) => value !== undefined)
    const answer = await runtime({
      name,
      params,
      query: new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)])),
      body: body === undefined ? null : JSON.stringify(body),
      assertion: await assertionOf(person),
      requestId: `demo-${step ?? 'read'}`.slice(0, 64),
      idempotencyKey: step === undefined ? null : `demo-${step}`,
    })
    // the client validated it against the row that this type comes from
    return answer as AnswerOf<RuntimeApi[typeof name]>
  }
}

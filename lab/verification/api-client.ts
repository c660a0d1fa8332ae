import type { AnswerOf, CallOf } from '#contract/endpoint/endpoint.ts'
import type { RuntimeApi } from '#contract/runtime-api/rows.ts'

export type RowName = keyof RuntimeApi & string

export type Result<Data> = { isDone: true; data: Data } | { isDone: false; errorCode: string }

/** A client of the runtime API, typed by the rows of the contract. */
export interface ApiClient {
  /** Throws if the request is rejected. */
  read<Name extends RowName>(name: Name, call: CallOf<RuntimeApi[Name]>): Promise<AnswerOf<RuntimeApi[Name]>>
  /** Uses one idempotency key, however often the request is sent. */
  write<Name extends RowName>(
    name: Name,
    call: CallOf<RuntimeApi[Name]>,
  ): Promise<Result<AnswerOf<RuntimeApi[Name]>>>
}

/** Sends one request. Returns the data, checked against the row. */
export type Send = (
  name: RowName,
  call: { params: Record<string, string | number>; body: unknown },
  isWrite: boolean,
) => Promise<Result<unknown>>

export function createApiClient(send: Send): ApiClient {
  const sendCall = (name: RowName, call: object, isWrite: boolean): Promise<Result<unknown>> => {
    // the call of an endpoint has some of these; no list is read
    const { params = {}, body } = call as { params?: Record<string, string | number>; body?: unknown }
    return send(name, { params, body }, isWrite)
  }
  return {
    async read(name, call) {
      const result = await sendCall(name, call, false)
      if (!result.isDone) throw new Error(`${name} is refused: ${result.errorCode}`)
      return result.data as AnswerOf<RuntimeApi[typeof name]>
    },
    async write(name, call) {
      return (await sendCall(name, call, true)) as Result<AnswerOf<RuntimeApi[typeof name]>>
    },
  }
}

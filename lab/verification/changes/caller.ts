import type { WriteName } from '#contract/runtime-api/rows.ts'
import type { RuntimeDeps } from '#runtime/deps/runtime-deps.ts'
import type { WriteHandler } from '#runtime/http/http-app.ts'
import type { Input } from '#runtime/use-cases/context.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { actorOf, serveRow } from '../simulation/client.ts'
import type { Fleet } from '../simulation/fleet.ts'
import type { Schedule } from '../simulation/schedule.ts'

export const PEOPLE = ['ada', 'bob', 'cyd'] as const
export type PersonId = (typeof PEOPLE)[number]

export interface CallerOptions {
  /** In the keys of its requests. */
  name: string
  schedule: Schedule
  fleet: Fleet
  random: SeededRandom
  note: (text: string) => void
}

/** Sends requests of people. Each is served by a process that may be killed. */
export class Caller {
  private readonly options: CallerOptions
  private keys = 0

  constructor(options: CallerOptions) {
    this.options = options
  }

  read<Result>(
    by: PersonId,
    run: (context: { deps: RuntimeDeps; actor: ReturnType<typeof actorOf> }) => Promise<Result>,
  ): Promise<Result | null> {
    return this.serve((deps) => run({ deps, actor: actorOf(by, `${by}-reads`) }))
  }

  /** Sends a request until it is answered, with one key. Null if it is unknown what became of it. */
  async send<Name extends WriteName>(
    by: PersonId,
    name: Name,
    perform: WriteHandler<Name>,
    input: Pick<Input<Name>, 'params' | 'body'>,
  ): Promise<{ errorCode: string; data: unknown } | null> {
    const { name: history, fleet, note, schedule, random } = this.options
    const key = `${history}-${by}-${++this.keys}`
    for (let attempt = 0; attempt < 3; attempt++) {
      const answer = await this.serve((deps) =>
        serveRow(deps, { name, perform, input }, { actor: actorOf(by, `${key}-${attempt}`), key }),
      )
      // what it has committed may be work for a worker
      if (answer === null || answer['errorCode'] === '0') schedule.after(1, () => fleet.wakeOne())
      if (answer !== null) {
        note(`${by} ${name} ${JSON.stringify(input.params)}: ${String(answer['errorCode'])}`)
        // an envelope
        return answer as unknown as { errorCode: string; data: unknown }
      }
      await schedule.wait(random.between(100, 1_000))
    }
    note(`${by} ${name}: no answer`)
    return null
  }

  /** Null if there is no response, or it is an error. */
  private async serve<Result>(run: (deps: RuntimeDeps) => Promise<Result>): Promise<Result | null> {
    const { fleet, schedule, random, note } = this.options
    await schedule.wait(random.between(1, 10))
    const { process, deps } = fleet.startServer()
    return new Promise<Result | null>((resolve) => {
      process.whenStopped(() => resolve(null))
      run(deps).then(resolve, (error: unknown) => {
        note(`${process.name} cannot answer: ${String(error)}`)
        resolve(null)
      })
    })
  }
}

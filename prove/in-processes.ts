import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** As many processes as use the processors well while each waits for the database most of the time. */
const PROCESSES = Math.min(8, availableParallelism() + 1)

/** Deals items out to as many processes as are worth it. */
export function deal<Item>(items: readonly Item[], fewestEach: number): Item[][] {
  const hands = Math.min(PROCESSES, Math.max(1, Math.ceil(items.length / fewestEach)))
  return Array.from({ length: hands }, (_, hand) => items.filter((_item, place) => place % hands === hand))
}

/**
 * Does each job in a process of its own, all at once; `script` ends with `answerJob`. Where one answer `isEnough` the other
 * processes are ended, and nothing of theirs is told.
 */
export async function inProcesses<Job, Result>(
  script: URL,
  jobs: readonly Job[],
  isEnough: (result: Result) => boolean = () => false,
): Promise<Result[]> {
  const enough = new AbortController()
  const results = jobs.map(async (job) => {
    const result = await inProcess<Job, Result>(script, job, enough.signal)
    if (result !== null && isEnough(result)) enough.abort()
    return result
  })
  return (await Promise.all(results)).flatMap((result) => (result === null ? [] : [result]))
}

/** Null when it was ended by the signal. */
function inProcess<Job, Result>(script: URL, job: Job, signal: AbortSignal): Promise<Result | null> {
  return new Promise((resolve, reject) => {
    const child = fork(script, { serialization: 'advanced' })
    // the script sends what its function answers
    child.once('message', (result) => resolve(result as Result))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`a process of the proof ended with ${code}`)))
    signal.addEventListener('abort', () => {
      resolve(null)
      child.kill()
    })
    child.send(job as Parameters<typeof child.send>[0])
  })
}

/** In such a process: does the job that comes, and sends what came of it. */
export function answerJob<Job, Result>(work: (job: Job) => Promise<Result>): void {
  process.once('disconnect', () => process.exit(1))
  process.once('message', (job) => {
    // what `inProcess` sends
    work(job as Job).then(
      (result) => process.send?.(result, () => process.exit()),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
}

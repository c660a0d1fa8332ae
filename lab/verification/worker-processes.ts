import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** Each process waits for the database most of the time, so a few more than there are cores pay off. */
const PROCESSES = Math.min(8, availableParallelism() + 1)

/** Splits items into batches, one for each process, of at least about `minSize` items. */
export function splitIntoBatches<Item>(items: readonly Item[], minSize: number): Item[][] {
  const batches = Math.min(PROCESSES, Math.max(1, Math.ceil(items.length / minSize)))
  return Array.from({ length: batches }, (_, batch) =>
    items.filter((_item, index) => index % batches === batch),
  )
}

/**
 * Runs each job in a separate process, all concurrently; `script` calls `serveJob`. As soon as a result `isEnough` the
 * other processes are ended, and their results are dropped.
 */
export async function runInProcesses<Job, Result>(
  script: URL,
  jobs: readonly Job[],
  isEnough: (result: Result) => boolean,
): Promise<Result[]> {
  const enough = new AbortController()
  const results = jobs.map(async (job) => {
    const result = await runInProcess<Job, Result>(script, job, enough.signal)
    if (result !== null && isEnough(result)) enough.abort()
    return result
  })
  return (await Promise.all(results)).filter((result) => result !== null)
}

/** Null if it was ended by the signal. */
function runInProcess<Job, Result>(script: URL, job: Job, signal: AbortSignal): Promise<Result | null> {
  return new Promise((resolve, reject) => {
    const child = fork(script, { serialization: 'advanced' })
    // the result of the function that the script serves
    child.once('message', (result) => resolve(result as Result))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`a process of the suite ended with code ${code}`)))
    signal.addEventListener('abort', () => {
      resolve(null)
      child.kill()
    })
    child.send(job as Parameters<typeof child.send>[0])
  })
}

/** For the script: executes the job that arrives, sends its result and ends. */
export function serveJob<Job, Result>(work: (job: Job) => Promise<Result>): void {
  process.once('disconnect', () => process.exit(1))
  process.once('message', (job) => {
    // what `runInProcess` sends
    work(job as Job).then(
      (result) => process.send?.(result, () => process.exit()),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  })
}

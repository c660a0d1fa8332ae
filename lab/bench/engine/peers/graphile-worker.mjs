import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { CONCURRENCY, CONNECTIONS, countIn, openPool, work } from './work.mjs'

/** A task that makes both calls; with `batching` as its performance page recommends for many jobs. */
export function createEngine({ databaseUrl, pluginUrl, recorded, batching }) {
  const pool = openPool(databaseUrl, CONNECTIONS)
  const job = work({ query: (statement) => pool.query(statement), pluginUrl, recorded })
  const logger = new Logger(() => () => {})
  let utils
  let runner
  return {
    async prepare() {
      utils = await makeWorkerUtils({ pgPool: pool, logger })
      await utils.migrate()
      await job.prepare()
    },
    async fill(count) {
      await utils.addJobs(Array.from({ length: count }, () => ({ identifier: 'call', payload: {} })))
    },
    async start(onDone) {
      const batches = {
        localQueue: { size: CONCURRENCY + 1 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      }
      runner = await run({
        pgPool: pool,
        logger,
        noHandleSignals: true,
        taskList: { call: async (_payload, helpers) => void (await job.run([helpers.job.id])) },
        preset: { worker: { concurrentJobs: CONCURRENCY, ...(batching && batches) } },
      })
      runner.events.on('job:complete', ({ error }) => {
        if (error !== null && error !== undefined) throw new Error('A job failed', { cause: error })
        onDone()
      })
    },
    createOne: async () => (await utils.addJob('call', {})).id,
    // a completed job is deleted
    completedOf: `
      select wanted.id from unnest($1::text[]) as wanted (id)
      where not exists (select from graphile_worker._private_jobs as job where job.id = wanted.id::bigint)`,
    countStored: () => countIn(pool, job.stored),
    async stop() {
      await runner?.stop()
      await utils?.release()
      await pool.end()
    },
  }
}

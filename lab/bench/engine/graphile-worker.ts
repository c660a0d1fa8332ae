import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import type { Runner, Task, WorkerUtils } from 'graphile-worker'
import pg from 'pg'
import { CONCURRENCY } from './arm.ts'
import type { Arm, ArmContext } from './arm.ts'
import { poster } from './post.ts'

/**
 * A task that makes both calls and stores each result immediately, before the next call. Jobs leave no result behind,
 * so our own table stores them; one job per call would be more expensive. With `batching` as its performance page
 * recommends for many jobs.
 */
export async function graphileWorkerArm(
  { databaseUrl, pluginUrl }: ArmContext,
  { batching }: { batching: boolean },
): Promise<Arm> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONCURRENCY + 5 })
  const fail = (error: Error) => console.error(error)
  pool.on('error', fail).on('connect', (client) => client.on('error', fail))
  const post = poster(pluginUrl)
  let utils: WorkerUtils | undefined
  let runner: Runner | undefined
  const logger = new Logger(() => () => {})

  const call: Task = async (_payload, helpers) => {
    for (const stage of ['BEFORE_RESOURCES', 'AFTER_RESOURCES']) {
      const answer = await post(stage)
      await helpers.query('insert into result (job, stage, answer) values ($1, $2, $3)', [
        helpers.job.id,
        stage,
        JSON.stringify(answer),
      ])
    }
  }

  return {
    async prepare() {
      utils = await makeWorkerUtils({ pgPool: pool, logger })
      await utils.migrate()
      await pool.query('create table result (job bigint, stage text, answer json, primary key (job, stage))')
    },
    async fill(count) {
      await utils?.addJobs(Array.from({ length: count }, () => ({ identifier: 'call', payload: {} })))
    },
    async start(onDone) {
      runner = await run({
        pgPool: pool,
        logger,
        noHandleSignals: true,
        taskList: { call },
        preset: {
          worker: {
            concurrentJobs: CONCURRENCY,
            ...(batching && {
              localQueue: { size: CONCURRENCY + 1 },
              completeJobBatchDelay: 0,
              failJobBatchDelay: 0,
            }),
          },
        },
      })
      runner.events.on('job:complete', ({ error }) => {
        if (error !== null && error !== undefined) throw new Error('A job failed', { cause: error })
        onDone()
      })
    },
    async createOne() {
      const job = await utils?.addJob('call', {})
      if (job === undefined) throw new Error('It is not prepared')
      return job.id
    },
    // a completed job is deleted
    completedOf: `
      select wanted.id from unnest($1::text[]) as wanted (id)
      where not exists (select from graphile_worker._private_jobs as job where job.id = wanted.id::bigint)`,
    async countStored() {
      const { rows } = await pool.query<{ stored: number }>(
        'select count(*)::integer / 2 as stored from result',
      )
      return rows[0]?.stored ?? 0
    },
    async stop() {
      await runner?.stop()
      await utils?.release()
      await pool.end()
    },
  }
}

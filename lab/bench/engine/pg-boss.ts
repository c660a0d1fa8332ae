import { PgBoss } from 'pg-boss'
import pg from 'pg'
import { CONCURRENCY } from './arm.ts'
import type { Arm, ArmContext } from './arm.ts'
import { poster } from './post.ts'

const QUEUE = 'calls'

/**
 * Jobs of pg-boss. A job's output contains the second response; the first is stored in our own table before the second
 * call. The flows of pg-boss are not used: they release the next job only at intervals, and one job per call would cost
 * more. With `batching`, its `work` fetches batches of 20, and continues at once while they are full; one statement
 * stores the first responses of a batch, and its jobs are completed one by one. Without it, 20 loops each fetch and
 * complete one job at a time, as `work` does.
 */
export async function pgBossArm(
  { databaseUrl, pluginUrl }: ArmContext,
  { batching }: { batching: boolean },
): Promise<Arm> {
  const post = poster(pluginUrl)
  const pool = new pg.Pool({ connectionString: databaseUrl, max: batching ? 2 : CONCURRENCY })
  const boss = new PgBoss({
    connectionString: databaseUrl,
    max: CONCURRENCY,
    useListenNotify: true,
    schedule: false,
  })
  boss.on('error', (error) => console.error(error))
  const stopping = new AbortController()
  const loops: Promise<void>[] = []

  const makeBothCalls = async (ids: readonly string[]): Promise<object[]> => {
    const before = await Promise.all(ids.map(() => post('BEFORE_RESOURCES')))
    await pool.query('insert into result (job, answer) select * from unnest($1::uuid[], $2::json[])', [
      ids,
      before.map((answer) => JSON.stringify(answer)),
    ])
    const after = await Promise.all(ids.map(() => post('AFTER_RESOURCES')))
    return after.map((answer) => ({ answer }))
  }
  const loop = async (onDone: () => void): Promise<void> => {
    while (!stopping.signal.aborted) {
      const [job] = await boss.fetch(QUEUE)
      if (job === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 2))
        continue
      }
      const [output] = await makeBothCalls([job.id])
      await boss.complete(QUEUE, job.id, output)
      onDone()
    }
  }

  return {
    async prepare() {
      await boss.start()
      await boss.createQueue(QUEUE, { notify: true })
      await pool.query('create table result (job uuid primary key, answer json)')
    },
    async fill(count) {
      await boss.insert(
        QUEUE,
        Array.from({ length: count }, () => ({ data: {} })),
      )
    },
    async start(onDone) {
      if (!batching) {
        for (let index = 0; index < CONCURRENCY; index++) loops.push(loop(onDone))
        return
      }
      const options = {
        batchSize: CONCURRENCY,
        perJobResults: true,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: 0.5,
      } as const
      await boss.work(QUEUE, options, async (jobs) => {
        const outputs = await makeBothCalls(jobs.map(({ id }) => id))
        return jobs.map(({ id }, index) => {
          onDone()
          return { id, status: 'completed' as const, output: outputs[index]! }
        })
      })
    },
    async createOne() {
      const id = await boss.send(QUEUE, {})
      if (id === null) throw new Error('The job was not created')
      return id
    },
    completedOf: `
      select id::text from pgboss.job
      where name = '${QUEUE}' and id = any($1::uuid[]) and state = 'completed'`,
    async countStored() {
      const { rows } = await pool.query<{ stored: number }>(
        `select count(*)::integer as stored from pgboss.job join result on result.job = job.id
         where state = 'completed' and output is not null`,
      )
      return rows[0]?.stored ?? 0
    },
    async stop() {
      stopping.abort()
      await Promise.all(loops)
      await boss.stop({ graceful: true, timeout: 5_000 })
      await pool.end()
    },
  }
}

import { PgBoss } from 'pg-boss'
import { CONCURRENCY, CONNECTIONS, countIn, openPool, work } from './work.mjs'

const QUEUE = 'calls'

/**
 * Jobs of pg-boss, whose output has the second response. With `batching`, its `work` fetches batches of `CONCURRENCY` and
 * continues at once while they are full. Without it, as many loops each fetch and complete one job at a time, as `work` does.
 */
export function createEngine({ databaseUrl, pluginUrl, recorded, batching }) {
  const pool = openPool(databaseUrl, batching ? 2 : CONNECTIONS)
  const job = work({ query: (statement) => pool.query(statement), pluginUrl, recorded })
  const boss = new PgBoss({
    connectionString: databaseUrl,
    max: CONNECTIONS,
    useListenNotify: true,
    schedule: false,
  })
  boss.on('error', (error) => console.error(error))
  const stopping = new AbortController()
  const loops = []
  const loop = async (onDone) => {
    while (!stopping.signal.aborted) {
      const [fetched] = await boss.fetch(QUEUE)
      if (fetched === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 2))
        continue
      }
      const [answer] = await job.run([fetched.id])
      await boss.complete(QUEUE, fetched.id, { answer })
      onDone()
    }
  }
  return {
    async prepare() {
      await boss.start()
      await boss.createQueue(QUEUE, { notify: true })
      await job.prepare()
    },
    connect: () => boss.start(),
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
      }
      await boss.work(QUEUE, options, async (jobs) => {
        const answers = await job.run(jobs.map(({ id }) => id))
        return jobs.map(({ id }, index) => {
          onDone()
          return { id, status: 'completed', output: { answer: answers[index] } }
        })
      })
    },
    createOne: () => boss.send(QUEUE, {}),
    completedOf: `
      select id::text from pgboss.job
      where name = '${QUEUE}' and id = any($1::uuid[]) and state = 'completed'`,
    countStored: () => countIn(pool, job.stored),
    async stop() {
      stopping.abort()
      await Promise.all(loops)
      await boss.stop({ graceful: true, timeout: 5_000 })
      await pool.end()
    },
  }
}

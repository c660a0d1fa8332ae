import { DBOS } from '@dbos-inc/dbos-sdk'
import { CONCURRENCY, countIn, openPool, poster } from './work.mjs'

/**
 * A workflow of two steps, each checkpointed. Workflows are started directly, `CONCURRENCY` at a time: the queues of DBOS are polled
 * once a second and are slower for short work. So creating a workflow is part of running it here.
 */
export function createEngine({ databaseUrl, pluginUrl }) {
  const post = poster(pluginUrl)
  const pool = openPool(databaseUrl, 1)
  const calls = DBOS.registerWorkflow(
    async () => {
      const before = await DBOS.runStep(() => post('BEFORE_RESOURCES'), { name: 'before' })
      const after = await DBOS.runStep(() => post('AFTER_RESOURCES'), { name: 'after' })
      return { before, after }
    },
    { name: 'calls' },
  )
  const stopping = new AbortController()
  const loops = []
  return {
    async prepare() {
      DBOS.setConfig({
        name: 'bench',
        systemDatabaseUrl: databaseUrl,
        systemDatabasePoolSize: CONCURRENCY,
        logLevel: 'error',
      })
      await DBOS.launch()
    },
    async start(onDone) {
      const loop = async () => {
        while (!stopping.signal.aborted) {
          const handle = await DBOS.startWorkflow(calls)()
          await handle.getResult()
          onDone()
        }
      }
      for (let index = 0; index < CONCURRENCY; index++) loops.push(loop())
    },
    createOne: async () => (await DBOS.startWorkflow(calls)()).workflowID,
    completedOf: `
      select workflow_uuid as id from dbos.workflow_status
      where workflow_uuid = any($1::text[]) and status = 'SUCCESS'`,
    countStored: () =>
      countIn(pool, "select count(*)::integer as stored from dbos.workflow_status where status = 'SUCCESS'"),
    async stop() {
      stopping.abort()
      await Promise.all(loops)
      await DBOS.shutdown()
      await pool.end()
    },
  }
}

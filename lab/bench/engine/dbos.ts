import { DBOS } from '@dbos-inc/dbos-sdk'
import pg from 'pg'
import { CONCURRENCY } from './arm.ts'
import type { Arm, ArmContext } from './arm.ts'
import { poster } from './post.ts'

/**
 * A workflow of two steps, each checkpointed. Started directly, 20 at a time: its queues are polled once per second and
 * slower for short work. So creating a workflow is part of running it here.
 */
export async function dbosArm({ databaseUrl, pluginUrl }: ArmContext): Promise<Arm> {
  const post = poster(pluginUrl)
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  const calls = DBOS.registerWorkflow(
    async () => {
      const before = await DBOS.runStep(() => post('BEFORE_RESOURCES'), { name: 'before' })
      const after = await DBOS.runStep(() => post('AFTER_RESOURCES'), { name: 'after' })
      return { before, after }
    },
    { name: 'calls' },
  )
  const stopping = new AbortController()
  const loops: Promise<void>[] = []
  const runOne = async (): Promise<void> => {
    const handle = await DBOS.startWorkflow(calls)()
    await handle.getResult()
  }

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
      const loop = async (): Promise<void> => {
        while (!stopping.signal.aborted) {
          await runOne()
          onDone()
        }
      }
      for (let index = 0; index < CONCURRENCY; index++) loops.push(loop())
    },
    async createOne() {
      const { workflowID } = await DBOS.startWorkflow(calls)()
      return workflowID
    },
    completedOf: `
      select workflow_uuid as id from dbos.workflow_status
      where workflow_uuid = any($1::text[]) and status = 'SUCCESS'`,
    async countStored() {
      const { rows } = await pool.query<{ stored: number }>(
        "select count(*)::integer as stored from dbos.workflow_status where status = 'SUCCESS'",
      )
      return rows[0]?.stored ?? 0
    },
    async stop() {
      stopping.abort()
      await Promise.all(loops)
      await DBOS.shutdown()
      await pool.end()
    },
  }
}

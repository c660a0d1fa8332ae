import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { ArmContext } from '../engine/arm.ts'
import { bundleConsoleArm } from '../engine/bundle-console.ts'
import { clientConfig, fromUrl } from '#database/settings.ts'

/** The task of a measuring process, as JSON in its argument. */
export interface TransactionTask extends ArmContext {
  /** Whether a transaction stays open from the begin of the load to its end. */
  isHeld: boolean
  minutes: number
}

/** Operations that ended in one minute of the load, in order. */
export type TransactionMeasured = number[]

const WARM_UP = 2_000
/** Operations that wait, so that the worker never lacks work. */
const BACKLOG = 400

const task = JSON.parse(process.argv[2] ?? '') as TransactionTask
process.send?.(await measure(task))
process.exit(0)

async function measure({ isHeld, minutes, ...context }: TransactionTask): Promise<TransactionMeasured> {
  const arm = await bundleConsoleArm(context)
  await arm.prepare()
  await arm.fill?.(WARM_UP + BACKLOG)
  // production never creates this many within a second: autovacuum would have run meanwhile
  await query(context.databaseUrl, 'analyze')
  let made = WARM_UP + BACKLOG
  let done = 0
  const warm = Promise.withResolvers<void>()
  await arm.start(() => {
    done++
    if (done === WARM_UP) warm.resolve()
  })
  await warm.promise

  // both processes begin when both are warm
  process.send?.('warm')
  await new Promise((resolve) => process.once('message', resolve))
  const holder = isHeld ? await holdTransaction(context.databaseUrl) : null
  const perMinute: number[] = []
  const began = performance.now()
  let [before, minuteEnds] = [done, began + 60_000]
  while (perMinute.length < minutes) {
    const missing = BACKLOG - (made - done)
    if (missing > 0) {
      await arm.fill?.(missing)
      made = Math.max(made, done) + Math.ceil(missing / 20) * 20
    } else await sleep(5)
    if (performance.now() < minuteEnds) continue
    perMinute.push(done - before)
    before = done
    minuteEnds += 60_000
  }
  await holder?.end()
  await arm.stop()
  return perMinute
}

/** As a forgotten session or a dump: it sees the state of its begin, and has its own number. */
async function holdTransaction(url: string): Promise<pg.Client> {
  const client = await connect(url)
  await client.query('begin isolation level repeatable read')
  await client.query('select count(*), pg_current_xact_id() from runtime.operation')
  return client
}

async function query(url: string, text: string): Promise<void> {
  const client = await connect(url)
  await client.query(text)
  await client.end()
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(clientConfig(fromUrl(url)))
  await client.connect()
  return client
}

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { CONCURRENCY } from '../engine/arm.ts'
import type { ArmContext } from '../engine/arm.ts'
import { bundleConsoleArm } from '../engine/bundle-console.ts'
import { clientConfig, fromUrl } from '#database/settings.ts'
import { SLICE_MS } from './slice.ts'

/** The task of a measuring process, as JSON in its argument. */
export interface TransactionTask extends ArmContext {
  /** Whether a transaction is opened after the first slices, and stays open to the end. */
  isHeld: boolean
  /** The number of slices before and after that. */
  slices: { before: number; after: number }
}

/** Operations that ended in each slice of the load, in order. */
export interface TransactionMeasured {
  before: number[]
  after: number[]
}

const WARM_UP = 2_000
/** Operations that wait, so that the worker never lacks work. */
const BACKLOG = 400

const task = JSON.parse(process.argv[2] ?? '') as TransactionTask
process.send?.(await measure(task))
process.exit(0)

async function measure({ isHeld, slices, ...context }: TransactionTask): Promise<TransactionMeasured> {
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
  let sliceEnds = performance.now()
  const countSlices = async (count: number): Promise<number[]> => {
    const counts: number[] = []
    let before = done
    sliceEnds += SLICE_MS
    while (counts.length < count) {
      const missing = BACKLOG - (made - done)
      if (missing > 0) {
        await arm.fill?.(missing)
        made = Math.max(made, done) + Math.ceil(missing / CONCURRENCY) * CONCURRENCY
      } else await sleep(5)
      if (performance.now() < sliceEnds) continue
      counts.push(done - before)
      before = done
      if (counts.length < count) sliceEnds += SLICE_MS
    }
    return counts
  }
  const before = await countSlices(slices.before)
  const holder = isHeld ? await holdTransaction(context.databaseUrl) : null
  const after = await countSlices(slices.after)
  await holder?.end()
  await arm.stop()
  return { before, after }
}

/** Like a forgotten session or a dump: keeps the snapshot of its start, and has a transaction ID. */
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

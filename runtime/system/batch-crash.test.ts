import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Batch } from '#contract/runtime-api/batches.ts'
import { freePort } from '#database/free-port.ts'
import { toUrl } from '#database/settings.ts'
import { createReplica } from '../../lab/verification/processes/replica.ts'
import type { Replica } from '../../lab/verification/processes/replica.ts'
import { bindingOf, bundleOf, moduleOf, startRuleHarness, TEXT } from '../testing/rules.ts'
import { until } from '../testing/stream.ts'

const FLEET = 16
const parts = {
  resources: [moduleOf('main', { name: TEXT })],
  plugins: [bindingOf('crashed', 1, { main: {} })],
}

it('carries out every item of a batch exactly once, although replicas are killed in the middle', async () => {
  // the API is served here; two processes carry out the operations and the batch
  const deps = await startRuleHarness({ worker: 'off' })
  const folder = await mkdtemp(join(tmpdir(), 'batch-'))
  const replicas: Replica[] = []
  try {
    const actorKeysFile = join(folder, 'keys.json')
    await writeFile(actorKeysFile, '{"keys":[]}')
    for (const name of ['one', 'other']) {
      const replica = createReplica({
        databaseUrl: toUrl(deps.http.connection),
        dataDir: join(folder, name),
        port: await freePort(),
        platformApiBase: 'http://platform.test',
        credential: 'a-shared-credential',
        actorKeysFile,
        sealingKeyFile: deps.http.sealingKeyFiles[0] ?? '',
        leaseSeconds: 2,
      })
      replicas.push(replica)
      replica.start()
    }
    await Promise.all(replicas.map((replica) => replica.ready()))
    const version = (number: string) => bundleOf('fleet', { ...parts, version: number })
    await deps.publish(version('1.0.0'), version('2.0.0'))
    await deps.register('crashed')
    const targets = await Promise.all(
      Array.from({ length: FLEET }, () => deps.installed(version('1.0.0'), { scope: deps.newScope() })),
    )
    deps.plugin.script(async () => {
      await sleep(40)
      return { outcome: 'APPLIED' }
    })

    const body = {
      action: 'UPGRADE',
      title: 'Fleet',
      targets,
      input: { targetVersion: '2.0.0' },
      concurrency: 3,
      // replicas are also killed between waves
      waves: { sizes: [3, 5], soakSeconds: 2 },
    }
    const made = Batch.parse((await deps.ok('/batches', { method: 'POST', body }))['batch'])
    const read = async () => Batch.parse(await deps.ok(`/batches/${made.batchId}`, {}))
    const [one, other] = replicas
    assert.ok(one && other)
    for (const [done, victim] of [
      [3, one],
      [8, other],
    ] as const) {
      await until(async () => (await read()).counts.SUCCEEDED >= done)
      await victim.kill()
      victim.start()
    }
    await until(async () => (await read()).finishedAt !== null)

    const { state, counts } = await read()
    assert.deepEqual([state, counts.SUCCEEDED], ['DONE', FLEET])
    const operations = await deps.db
      .selectFrom('runtime.operation')
      .select(['bundle_install_id', 'state'])
      .where('operation_type', '=', 'UPGRADE')
      .execute()
    assert.deepEqual(
      operations.map((row) => row.bundle_install_id).toSorted(),
      targets.toSorted(),
      'one upgrade for each target',
    )
    assert.ok(operations.every((row) => row.state === 'SUCCEEDED'))
    const { rows } = await sql<{ soaked: number }>`
      select extract(epoch from min(item.started_at) - (
        select max(ended_at) from runtime.batch_item as before
        where before.batch_id = item.batch_id and before.wave = item.wave - 1))::float8 as soaked
      from runtime.batch_item as item where batch_id = ${made.batchId} and wave > 1 group by batch_id, wave`.execute(
      deps.db,
    )
    assert.equal(rows.length, 2)
    for (const { soaked } of rows) assert.ok(soaked >= 2, `a wave started ${soaked} s after the one before`)
  } finally {
    await Promise.all(replicas.map((replica) => replica.kill()))
    await deps.close()
    await rm(folder, { recursive: true, force: true })
  }
})

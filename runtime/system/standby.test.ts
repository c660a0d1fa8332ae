import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { clientConfig, fromUrl } from '#database/settings.ts'
import { installedPostgres, startTestServer, testDatabase } from '#database/testing.ts'
import type { TestServer } from '#database/testing.ts'
import { startTestStandby } from '#database/testing-standby.ts'
import { STANDBY_READS } from '../http/standby-reads.ts'
import { RUNTIME_MIGRATIONS } from '../store/migrations.ts'
import { billing } from '../testing/bundles.ts'
import { API, testHttp } from '../testing/http.ts'
import type { TestHttp } from '../testing/http.ts'
import { until } from '../testing/stream.ts'

// A replica on a primary with a streaming standby: two real servers.

const binDirectory = installedPostgres()

describe('reads from a standby', { skip: binDirectory === undefined && 'needs pg_basebackup' }, () => {
  let server: TestServer
  let standby: Awaited<ReturnType<typeof startTestStandby>>
  let name: string
  let http: TestHttp

  before(async () => {
    server = await startTestServer({
      binDirectory: binDirectory ?? '',
      parameters: { synchronous_commit: 'on' },
    })
    const database = await testDatabase({ migrations: [RUNTIME_MIGRATIONS], server: server.url })
    name = database.connection.database
    standby = await startTestStandby(server, binDirectory ?? '')
    http = await testHttp({
      connection: database.connection,
      standby: { ...fromUrl(standby.url), database: name },
      standbyTroubleMs: 500,
      limits: { lockTimeoutMs: 60_000 },
    })
    assert.equal(await publish('1.0.0'), '0')
  })
  after(async () => {
    await http.close()
    await standby.stop()
    await server.stop()
  })

  let workspace = 0

  const publish = async (version: string): Promise<string> => {
    const body = { ...billing, version } as unknown as JsonObject
    return (await http.call(`/bundles/dev/billing/versions/${version}`, { method: 'PUT', body })).errorCode
  }
  const install = async (): Promise<void> => {
    const { status } = await http.call('/installations', {
      method: 'POST',
      body: {
        scope: { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: ++workspace },
        bundle: { ...billing.bundle },
        targetVersion: '1.0.0',
      },
    })
    assert.equal(status, 200)
  }
  const listed = async (): Promise<number> => {
    const { status, data } = await http.call('/installations?limit=200')
    assert.equal(status, 200)
    return (data['items'] as unknown[]).length
  }
  const onStandby = async (text: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client(clientConfig({ ...fromUrl(standby.url), database: name }))
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(text)).rows
    } finally {
      await client.end()
    }
  }
  const reads = async (result: string): Promise<number> => {
    const text = await (await http.send(`${API}/metrics`)).text()
    const line = text
      .split('\n')
      .find((one) => one.startsWith(`bundle_runtime_standby_reads_total{result="${result}"}`))
    return Number(line?.split(' ').at(-1) ?? 0)
  }
  const troubles = async (): Promise<string[]> => {
    const { data } = await http.call('/troubles')
    return (data['items'] as { kind: string }[]).map(({ kind }) => kind)
  }
  /** Reads until the standby serves again. */
  const servesAgain = () =>
    until(async () => {
      const before = await reads('served')
      await listed()
      return (await reads('served')) > before
    })

  it('serves every read of its list, which writes nothing', async () => {
    await servesAgain()
    const params: Record<string, string> = {
      environmentKey: 'dev',
      bundleId: 'billing',
      pluginId: 'no-such-plugin',
      serviceId: 'no-such-service',
      batchId: '00000000-0000-7000-8000-000000000000',
      webhookId: '00000000-0000-7000-8000-000000000000',
    }
    const before = await reads('away')
    for (const row of STANDBY_READS) {
      const path = row.slice('GET '.length).replace(/\{(\w+)\}/g, (_, key: string) => params[key] ?? key)
      const { status } = await http.call(path)
      assert.equal(status, 200, row)
    }
    assert.equal(await reads('away'), before)
  })

  it('have what was just written, however many write', async () => {
    const before = await reads('served')
    for (let count = 1; count <= 20; count++) {
      await install()
      assert.equal(await listed(), workspace)
    }
    assert.ok((await reads('served')) >= before + 10)
  })

  it('come from the primary while the standby is behind, and that is told', async () => {
    await servesAgain()
    await onStandby('select pg_wal_replay_pause()')
    const before = await reads('behind')
    await install()
    assert.equal(await listed(), workspace)
    assert.equal(await reads('behind'), before + 1)
    const paused = await reads('paused')
    assert.equal(await listed(), workspace)
    assert.equal(await reads('paused'), paused + 1, 'the next one does not wait')
    await until(async () => {
      await listed()
      return (await troubles()).includes('STANDBY_UNUSED')
    })
    await onStandby('select pg_wal_replay_resume()')
    await servesAgain()
    assert.equal(await listed(), workspace)
    assert.deepEqual(await troubles(), [])
  })

  it('come from the primary while the standby is away', async () => {
    const before = await reads('away')
    await standby.pause()
    await install()
    assert.equal(await listed(), workspace)
    assert.ok((await reads('away')) > before)
    await standby.resume()
    await servesAgain()
    assert.equal(await listed(), workspace)
  })

  it('come from the primary while the standby neither answers nor fails', async () => {
    await servesAgain()
    // with the server itself, as if the machine were paused
    const processes = await onStandby(
      `select pid from pg_stat_activity where application_name = 'bundle-runtime-reads'
        union select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int`,
    )
    const send = (signal: NodeJS.Signals): void => {
      for (const { pid } of processes) process.kill(Number(pid), signal)
    }
    const before = await reads('away')
    send('SIGSTOP')
    try {
      const late = sleep(15_000, 'as long as a console waits', { ref: false })
      assert.equal(await Promise.race([listed(), late]), workspace)
    } finally {
      send('SIGCONT')
    }
    assert.equal(await reads('away'), before + 1)
    await servesAgain()
  })

  it('stay on a standby that answers, however long they take there', async () => {
    await servesAgain()
    const blocker = new pg.Client(clientConfig(http.connection))
    await blocker.connect()
    await blocker.query('begin; lock table runtime.installation in access exclusive mode')
    await until(async () => {
      const locks = await onStandby("select from pg_locks where mode = 'AccessExclusiveLock' and granted")
      return locks.length > 0
    })
    const before = [await reads('away'), await reads('served')]
    const read = listed()
    // longer than a read may take before the standby is asked whether it answers
    await sleep(6_500)
    await blocker.query('rollback')
    await blocker.end()
    assert.equal(await read, workspace)
    assert.deepEqual([await reads('away'), await reads('served')], [before[0], Number(before[1]) + 1])
  })

  it('come from the primary once the standby is promoted', async () => {
    await servesAgain()
    await onStandby('select pg_promote()')
    await install()
    await until(async () => {
      assert.equal(await listed(), workspace)
      return (await reads('not_standby')) > 0
    })
    const [{ count } = {}] = await onStandby('select count(*)::int4 as count from runtime.installation')
    assert.equal(count, workspace - 1, 'the promoted one lacks the last installation')
  })
})

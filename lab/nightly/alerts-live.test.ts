import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '#database/free-port.ts'
import { clientConfig } from '#database/settings.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import { buildConsole } from '../../scripts/console-build.ts'
import { root } from '../../scripts/process.ts'
import { install, readConfiguration, retry, save } from '../verification/actions.ts'
import { BUNDLES, coreValues } from '../verification/bundles.ts'
import { startChild } from '../verification/processes/child.ts'
import type { Child } from '../verification/processes/child.ts'
import { startOwnDatabase } from '../verification/processes/database.ts'
import type { OwnDatabase } from '../verification/processes/database.ts'
import { EventWatcher } from '../verification/processes/event-watcher.ts'
import type { Replica } from '../verification/processes/replica.ts'
import type { RetryingClient } from '../verification/processes/retrying-client.ts'
import { createSystem } from '../verification/processes/system.ts'
import type { System } from '../verification/processes/system.ts'
import { faster, startPrometheus } from './prometheus.ts'
import type { Prometheus } from './prometheus.ts'

// A real Prometheus beside an API runtime, a worker, two consoles, plugins and a database, each in a process of its own. Every
// alert is provoked by what it is about, and ends when that is over.

const SCOPE = { environmentKey: 'prod', applicationRuntimeId: 'alerts', workspaceId: 1 }
const rules = readFileSync(join(root, 'deploy/prometheus/alerts.yml'), 'utf8')
const missing =
  spawnSync('prometheus', ['--version']).error === undefined
    ? false
    : 'prometheus is not installed (Debian: prometheus)'

interface Console {
  host: string
  publicUrl: string
  start(env?: Record<string, string>): Promise<void>
  kill(): Promise<void>
}

describe('the alerts in a real Prometheus', { skip: missing }, () => {
  let folder: string
  /** The file system of the API runtime's DATA_DIR, whose size the test changes; null if this user may not mount one. */
  let disk: { path: string; resize(size: string): void } | null
  let database: OwnDatabase
  let system: System
  let api: Replica
  let worker: Replica
  let client: RetryingClient
  let consoles: [Console, Console]
  let prometheus: Prometheus
  const provoked = new Set<string>()

  before(async () => {
    await buildConsole()
    folder = await mkdtemp(join(tmpdir(), 'alerts-live-'))
    disk = mountDisk(join(folder, 'disk'))
    database = await startOwnDatabase()
    system = await createSystem({
      databaseUrl: database.url,
      replicas: 2,
      leaseSeconds: 2,
      seed: 1,
      hooks: (index) =>
        index === 0
          ? {
              args: ['--api'],
              env: { DATABASE_POOL_SIZE: '3', ...(disk && { DATA_DIR: join(disk.path, 'data') }) },
            }
          : { args: ['--worker'] },
    })
    ;[api, worker] = system.replicas as [Replica, Replica]
    for (const replica of [api, worker]) replica.start()
    await Promise.all([system.plugins.start(), api.ready(), worker.ready()])
    client = system.client({ bases: [api.apiBase], timeoutMs: 1_000 })
    await system.registerAndPublish(client)
    consoles = [await startConsole('c1'), await startConsole('c2')]
    await ended(await install(client, SCOPE, BUNDLES.orders[0], coreValues('orders', 1)))
    const host = ({ apiBase }: Replica): string => new URL(apiBase).host
    prometheus = await startPrometheus({
      'bundle-runtime': { path: '/bundle-runtime/api/metrics', hosts: [host(api), host(worker)] },
      'bundle-console': { path: '/metrics', hosts: consoles.map((one) => one.host) },
    })
  })
  after(async () => {
    await Promise.all(running.map((one) => one.stop()))
    await prometheus?.stop()
    await Promise.all(consoles?.map((one) => one.kill()) ?? [])
    await system?.stop()
    await database?.stop()
    if (disk !== null) spawnSync('umount', ['--lazy', disk.path])
    rmSync(folder, { recursive: true, force: true })
  })

  /** The alerts begin while `provoke` holds, and end after `undo`. */
  const provokes = async (
    alerts: readonly string[],
    provoke: () => unknown,
    undo: () => unknown,
    seconds = 90,
  ): Promise<void> => {
    try {
      await provoke()
      for (const alert of alerts) {
        await prometheus.until(`BundleConsole${alert}`, true, seconds)
        provoked.add(`BundleConsole${alert}`)
      }
    } finally {
      await undo()
    }
    for (const alert of alerts) await prometheus.until(`BundleConsole${alert}`, false, seconds)
  }

  it('are silent on a new installation', async () => {
    await sleep(40_000)
    assert.deepEqual(await prometheus.query('ALERTS{alertstate="firing"}'), [])
    const loaded = await prometheus.query('count(up)')
    assert.equal(loaded.length, 1)
  })

  it('begin when the worker dies, and end when it is back', async () => {
    await provokes(
      ['NoWorker', 'InstanceDown', 'OperationsWait'],
      async () => {
        await worker.kill()
        await save(client, SCOPE, coreValues('orders', 2))
      },
      async () => {
        worker.start()
        await worker.ready()
      },
    )
  })

  it('begin when every runtime is dead', async () => {
    await provokes(
      ['NoRuntime', 'RuntimeUnreachable'],
      () => Promise.all([api.kill(), worker.kill()]),
      async () => {
        for (const replica of [api, worker]) replica.start()
        await Promise.all([api.ready(), worker.ready()])
      },
    )
  })

  it('begin when every console is dead', async () => {
    await provokes(
      ['NoConsole'],
      () => Promise.all(consoles.map((one) => one.kill())),
      () => Promise.all(consoles.map((one) => one.start())),
    )
  })

  it('begin when the runtime refuses a console', async () => {
    const [, second] = consoles
    await provokes(
      ['RuntimeRefuses'],
      async () => {
        await second.kill()
        await second.start({ RUNTIME_API_CREDENTIAL: 'another-credential' })
      },
      async () => {
        await second.kill()
        await second.start()
      },
    )
  })

  it('begin when the database is away', async () => {
    const people = repeat(async () => {
      await fetch(`${consoles[0].publicUrl}/auth/login`, { redirect: 'manual' }).then((response) =>
        response.body?.cancel(),
      )
    }, 200)
    let back: Promise<void> | undefined
    await provokes(
      ['DatabaseDown', 'Errors'],
      () => void (back = database.crash(45_000)),
      () => back,
    )
    await people.stop()
    await api.ready()
  })

  it('begin when a lock is held and connections are exhausted', async () => {
    const locker = await connect()
    let readers: ReturnType<typeof repeat>[] = []
    await provokes(
      ['LocksWait', 'ConnectionsExhausted'],
      async () => {
        await locker.query('begin; lock table runtime.scope in access exclusive mode')
        readers = Array.from({ length: 12 }, () =>
          repeat(() => readConfiguration(system.client({ bases: [api.apiBase] }), SCOPE), 20),
        )
      },
      async () => {
        await locker.query('rollback')
        await locker.end()
        await Promise.all(readers.map((reader) => reader.stop()))
      },
    )
  })

  it('begin when a transaction stays open', async () => {
    const watcher = new EventWatcher(system)
    const other = await connect()
    await provokes(
      ['EventsLate'],
      async () => {
        await sleep(1_000)
        await other.query('begin; select pg_current_xact_id()')
        await save(client, SCOPE, coreValues('orders', 3))
      },
      () => other.query('rollback'),
    )
    await other.end()
    await watcher.stop()
  })

  it('begin when many changes are refused', async () => {
    let scripts: ReturnType<typeof repeat> | undefined
    await provokes(
      ['Conflicts'],
      () => {
        const params = SCOPE
        const body = { snapshotVersion: 1, changes: coreValues('orders', 9) }
        const path = 'PATCH /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration'
        scripts = repeat(() => client.write(path, { params, body }), 200)
      },
      () => scripts?.stop(),
    )
  })

  it('begin when retention is overdue', async () => {
    // a replica would start a run that is due, so one is in progress at the other end of a lock
    const holder = await connect()
    await provokes(
      ['RetentionOverdue'],
      async () => {
        await holder.query("update runtime.retention set due_at = clock_timestamp() - interval '3 days'")
        await holder.query('begin; select from runtime.retention for update')
      },
      async () => {
        await holder.query('rollback')
        await holder.query(
          "update runtime.retention set due_at = clock_timestamp() + interval '1 day', run_started_at = null",
        )
      },
      240,
    )
    await holder.end()
  })

  it('begin when operations were in progress while the database went back in time', async () => {
    await worker.kill()
    const [operation] = (await save(client, SCOPE, coreValues('orders', 4))) ?? []
    assert.ok(operation)
    await provokes(
      ['OperationsInDoubt'],
      () => recoverByHand(),
      async () => {
        worker.start()
        await worker.ready()
        await ended(operation)
      },
    )
  })

  it('begin when a plugin is silent, and when its operation has failed and nobody takes it', async () => {
    let failed: Operation | undefined
    await provokes(
      ['PluginSilent', 'PluginCallsUncertain', 'FailureUnassigned', 'InstallationLocked'],
      async () => {
        await system.plugins.pause()
        const [operation] = (await save(client, SCOPE, coreValues('orders', 5))) ?? []
        assert.ok(operation)
        const others = [2, 3, 4].map((workspaceId) =>
          install(client, { ...SCOPE, workspaceId }, BUNDLES.orders[0], coreValues('orders', workspaceId)),
        )
        await Promise.all(others)
        failed = await ended(operation, 200)
        assert.equal(failed.state, 'FAILED')
      },
      async () => {
        await system.plugins.kill()
        await system.plugins.start()
        const reader = await connect()
        const { rows } = await reader.query<{ operationId: string; run: number }>(
          `select operation_id as "operationId", run from runtime.operation where state = 'FAILED'`,
        )
        await reader.end()
        for (const one of rows) await retry(client, one)
      },
      500,
    )
  })

  it('begin when the disk of DATA_DIR fills', async (context) => {
    if (disk === null) return context.skip('this user may not mount a file system')
    const { path, resize } = disk
    let size = 100
    let filling: ReturnType<typeof repeat> | undefined
    const { bsize, blocks, bavail } = statfsSync(path)
    const usedMb = Math.ceil(((blocks - bavail) * bsize) / 1_000_000)
    writeFileSync(join(path, 'large'), Buffer.alloc(Math.max(0, 85 - usedMb) * 1_000_000))
    await provokes(
      ['DiskAlmostFull', 'DiskFills'],
      () => {
        filling = repeat(async () => {
          size -= 0.05
          resize(`${Math.round(size * 1_000)}k`)
        }, 1_000)
      },
      async () => {
        await filling?.stop()
        rmSync(join(path, 'large'))
        resize('4g')
      },
      500,
    )
  })

  it('were all provoked', (context) => {
    const names = [...rules.matchAll(/alert: (\w+)/g)].map(([, name = '']) => name)
    // a full disk of the database is the subject of runtime/system/full-disk.test.ts
    const others = new Set([
      'BundleConsoleDiskFull',
      ...(disk === null ? ['BundleConsoleDiskAlmostFull', 'BundleConsoleDiskFills'] : []),
    ])
    assert.ok(faster(rules).includes('for: 4s'))
    assert.deepEqual(
      names.filter((name) => !provoked.has(name) && !others.has(name)),
      [],
    )
    context.diagnostic(`${provoked.size} alerts began and ended`)
  })

  it('have a dashboard whose queries all return data', async () => {
    const dashboard = JSON.parse(readFileSync(join(root, 'deploy/grafana/dashboard.json'), 'utf8')) as {
      panels: { title: string; targets: { expr: string }[] }[]
    }
    const queries = dashboard.panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => ({ title, expr })),
    )
    assert.ok(queries.length > 25)
    for (const { title, expr } of queries) {
      const series = await prometheus.query(expr)
      assert.ok(
        series.some(({ values }) => values.some(([, value]) => value !== 'NaN')),
        `${title}: ${expr}`,
      )
    }
  })

  async function startConsole(name: string): Promise<Console> {
    const port = await freePort()
    const [options] = system.replicaOptions
    if (options === undefined) throw new Error('there is no runtime')
    let child: Child | undefined
    const start = async (env: Record<string, string> = {}): Promise<void> => {
      child = startChild({
        file: new URL('../../bff/main.ts', import.meta.url),
        env: {
          PORT: String(port),
          DATA_DIR: join(folder, name),
          CONSOLE_METRICS: 'on',
          DATABASE_URL: database.url,
          RUNTIME_API_BASE: new URL(api.apiBase).origin,
          RUNTIME_API_CREDENTIAL: system.credential,
          ACTOR_ASSERTION_KEY_FILE: join(dirname(options.actorKeysFile), 'actor-key.json'),
          ...env,
        },
      })
      for (let tries = 0; tries < 300; tries++) {
        const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
        if (response?.ok === true) return
        await sleep(100)
      }
      throw new Error(`a console does not get ready: ${child.output().slice(-3).join(' | ')}`)
    }
    await start()
    return {
      host: `127.0.0.1:${port}`,
      publicUrl: `http://localhost:${port}`,
      start,
      async kill() {
        child?.signal('SIGKILL')
        await child?.exited
      },
    }
  }

  async function connect(): Promise<pg.Client> {
    const connected = new pg.Client(clientConfig(database.connection))
    connected.on('error', () => undefined)
    await connected.connect()
    return connected
  }

  /** Waits until the operation has succeeded or failed. */
  async function ended({ operationId }: Operation, seconds = 60): Promise<Operation> {
    const deadline = performance.now() + seconds * 1_000
    for (;;) {
      const operation = await client.read('GET /operations/{operationId}', { params: { operationId } })
      if (['SUCCEEDED', 'FAILED'].includes(operation.state)) return operation
      assert.ok(performance.now() < deadline, `an operation is still ${operation.state}`)
      await sleep(200)
    }
  }

  function recoverByHand(): void {
    const [options] = system.replicaOptions
    const args = ['operating/recover/main.ts', '--raise-sequences', '100000', '--despite-connections']
    const { status, stderr } = spawnSync(process.execPath, args, {
      cwd: root,
      encoding: 'utf8',
      env: {
        ...process.env,
        DATA_DIR: join(folder, 'command'),
        DATABASE_URL: database.url,
        SEALING_KEY_FILE: options?.sealingKeyFile,
      },
    })
    assert.equal(status, 0, stderr)
  }
})

const running: { stop(): Promise<void> }[] = []

/** Repeats a request until it is stopped; whether it succeeds does not matter. */
function repeat(request: () => Promise<unknown>, pauseMs: number): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await request().catch(() => undefined)
      await sleep(pauseMs)
    }
  }
  const ended = run()
  const repeated = {
    async stop() {
      stopping.abort()
      await ended
    },
  }
  running.push(repeated)
  return repeated
}

/** A file system in memory, with room for what a runtime needs. */
function mountDisk(path: string): { path: string; resize(size: string): void } | null {
  mkdirSync(path)
  const mount = (options: string) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', `mode=755,${options}`, 'tmpfs', path], { encoding: 'utf8' })
  if (mount('size=4g').status !== 0) return null
  return {
    path,
    resize(size) {
      const { status, stderr } = mount(`remount,size=${size}`)
      assert.equal(status, 0, stderr)
    },
  }
}

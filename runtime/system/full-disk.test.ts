import assert from 'node:assert/strict'
import { chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import pg from 'pg'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { quoteName } from '#database/names.ts'
import { clientConfig, fromUrl } from '#database/settings.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { startTestServer, testDatabase } from '#database/testing.ts'
import type { TestServer } from '#database/testing.ts'
import { smallDisk } from '#database/testing-small-disk.ts'
import { createLog } from '#http-kit/log.ts'
import { verifyChain } from '../use-cases/audit/verify-chain.ts'
import { until } from '../testing/stream.ts'
import { API, testHttp, textOf } from '../testing/http.ts'
import { RUNTIME_MIGRATIONS } from '../store/migrations.ts'
import { billing } from '../testing/bundles.ts'

// One complete replica on a database that cannot grow: on a disk that is really full if this user may mount one, and
// always with triggers that raise PostgreSQL's error.

const MESSAGE = 'The database has no space left. Free space, then retry.'
type Run = (text: string) => Promise<unknown>
interface Space {
  /** Runs before the first connection to the database. */
  prepare(server: TestServer, database: string): Promise<void>
  take(run: Run): Promise<unknown> | void
  giveBack(run: Run): Promise<unknown> | void
  remove(): void
}

function realDisk(): Space | null {
  const disk = smallDisk(64)
  if (disk === null) return null
  return {
    async prepare(server, database) {
      const directory = join(disk.path, 'tables')
      mkdirSync(directory)
      const { uid, gid } = statSync(join(fromUrl(server.url).host, 'postgresql'))
      chownSync(directory, uid, gid)
      await onServer(server, `create tablespace small location '${directory}'`)
      await onServer(server, `alter database ${quoteName(database)} set tablespace small`)
    },
    take: () => disk.fill(),
    giveBack: () => disk.free(),
    remove: () => disk.remove(),
  }
}

const ERROR = `raise exception 'could not extend file "base/5/16384": No space left on device' using errcode = '53100'`
const triggers: Space = {
  async prepare() {},
  take: (run) =>
    run(`
      create function public.refuse_row() returns trigger language plpgsql as $$ begin ${ERROR}; end $$;
      create function public.refuse_table() returns event_trigger language plpgsql as $$ begin ${ERROR}; end $$;
      create trigger on_full_disk before insert or update on runtime.operation for each statement execute function public.refuse_row();
      create trigger on_full_disk before insert on runtime.audit_draft for each statement execute function public.refuse_row();
      create event trigger on_full_disk on ddl_command_end when tag in ('CREATE TABLE')
        execute function public.refuse_table()`),
  giveBack: (run) =>
    run(`
      drop event trigger on_full_disk;
      drop function public.refuse_row() cascade;
      drop function public.refuse_table() cascade`),
  remove() {},
}

async function onServer(server: TestServer, text: string): Promise<void> {
  await runOn(fromUrl(server.url), text)
}

async function runOn(connection: ConnectionSettings, text: string): Promise<void> {
  const client = new pg.Client(clientConfig(connection))
  await client.connect()
  await client.query(text)
  await client.end()
}

for (const [name, makeSpace] of [
  ['a disk that is full', realDisk],
  ['triggers that raise disk_full', () => triggers],
] as const) {
  const space = makeSpace()
  const skip = space === null && 'this user may not mount a file system'
  suite(`on ${name}`, { skip }, () => {
    test('writes are 503 with the reason, reads work, and all acknowledged operations finish once there is space', async (t) => {
      assert.ok(space !== null)
      const server = await startTestServer()
      const { connection } = await testDatabase({ migrations: [RUNTIME_MIGRATIONS], server: server.url })
      await space.prepare(server, connection.database)
      const lines: JsonObject[] = []
      const stream = { write: (line: string) => void lines.push(JSON.parse(line) as JsonObject) }
      const http = await testHttp({
        connection,
        worker: { pollMs: 50, leaseMs: 3_000 },
        log: createLog({ name: 'test', level: 'warn', stream }),
      })
      t.after(async () => {
        await http.close()
        await server.stop()
        space.remove()
      })
      const metrics = async () => (await http.send(`${API}/metrics`)).text()
      const run: Run = (text) => runOn(connection, text)
      const published = await http.call('/bundles/dev/billing/versions/1.0.0', {
        method: 'PUT',
        body: billing as unknown as JsonObject,
      })
      assert.equal(published.errorCode, '0')

      let workspaceId = 1
      const install = (key?: string) =>
        http.call('/installations', {
          method: 'POST',
          body: {
            scope: { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId },
            bundle: { ...billing.bundle },
            targetVersion: billing.version,
          },
          ...(key !== undefined && { key }),
        })
      const acknowledged: string[] = []
      const note = ({ data }: { data: JsonObject }) =>
        acknowledged.push(textOf((data['operation'] as JsonObject)['operationId']))
      const isDone = async (operationId: string) =>
        (await http.call(`/operations/${operationId}`)).data['state'] === 'SUCCEEDED'

      note(await install())
      await until(() => isDone(acknowledged[0] ?? ''))
      await space.take(run)
      workspaceId++
      for (let refusals = 0; refusals < 20;) {
        const response = await install(`key-${workspaceId}`)
        if (response.status === 200) {
          // a write that still fits into allocated pages succeeds, also after one that did not
          note(response)
          assert.ok(++workspaceId < 5_000, 'all writes succeed although the disk is full')
          continue
        }
        refusals++
        assert.equal(response.status, 503)
        assert.equal(response.headers.get('content-type'), 'application/problem+json')
        assert.equal(response.headers.get('retry-after'), '1')
        assert.equal(response.json['code'], 'SERVICE_UNAVAILABLE')
        assert.equal(response.json['message'], MESSAGE)
      }
      const readiness = await http.send(`${API}/readyz`)
      const { message } = (await readiness.json()) as JsonObject
      assert.deepEqual([readiness.status, message], [503, MESSAGE])
      assert.match(await metrics(), /^bundle_runtime_database_full 1$/m)
      assert.equal((await http.send(`${API}/healthz`)).status, 200)
      for (const path of ['/operations', '/installations', '/services', '/audit', '/summary'])
        assert.equal((await http.call(path)).status, 200, path)

      await space.giveBack(run)
      // the metric alone finds that there is space again, also where nothing asks for readiness
      await until(async () => /^bundle_runtime_database_full 0$/m.test(await metrics()))
      assert.equal((await http.send(`${API}/readyz`)).status, 200)
      const repeated = await install(`key-${workspaceId}`)
      assert.equal(repeated.errorCode, '0')
      note(repeated)
      for (const operationId of acknowledged) await until(() => isDone(operationId))
      const { db } = http.runtime.deps
      t.diagnostic(`${acknowledged.length} operations`)
      const stored = await db.selectFrom('runtime.operation').select('operation_id').execute()
      assert.deepEqual(stored.map((row) => row.operation_id).toSorted(), acknowledged.toSorted())
      assert.equal((await verifyChain(db)).holds, true)

      const about = lines.filter(({ reason }) => reason === 'it has no space left')
      assert.ok(about.length > 0)
      // one from requests and one from the worker every ten seconds
      assert.ok(about.length <= 8, JSON.stringify(about))
      assert.doesNotMatch(JSON.stringify(lines), /stack|could not extend|base\//)
    })
  })
}

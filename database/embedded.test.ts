import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'

import { createDatabaseIfMissing, startEmbedded, type EmbeddedDatabase } from './embedded.ts'
import { startProgram } from './fixtures/start-program.ts'
import { openDatabase } from './pool.ts'
import type { ConnectionSettings } from './settings.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
const isRoot = process.getuid?.() === 0

// Closed to others, like /root: the server's user cannot follow a path through it.
const closed = mkdtempSync(join(tmpdir(), 'embedded-'))
after(() => rmSync(closed, { recursive: true, force: true }))

let made = 0
const newDataDir = () => join(closed, `data-${++made}`)

async function query(connection: ConnectionSettings, text: string): Promise<object[]> {
  const { pool, close } = openDatabase(connection)
  try {
    return (await pool.query<object>(text)).rows
  } finally {
    await close()
  }
}

async function withEmbedded(
  dataDir: string,
  fn: (embedded: EmbeddedDatabase) => Promise<void>,
): Promise<void> {
  const embedded = await startEmbedded({ dataDir, log })
  try {
    await fn(embedded)
  } finally {
    await embedded.stop()
  }
}

/** Zombies do not count. */
const isRunning = (pid: number) => {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.startsWith('Z')
}

describe('embedded PostgreSQL', () => {
  test('stops in order without a warning, also with connections that are in use', async () => {
    const warned: string[] = []
    const note = (_: object, message: string) => void warned.push(message)
    const embedded = await startEmbedded({ dataDir: newDataDir(), log: { ...log, warn: note, error: note } })
    const { pool, close } = openDatabase(embedded.connection)
    const running = pool.query('select pg_sleep(60)').catch(() => 'ended')
    await pool.query('select 1')
    await embedded.stop()
    assert.equal(await running, 'ended')
    await close()
    assert.deepEqual(warned, [])
  })

  const dataDir = newDataDir()

  test('first start: a private, durable server in a directory that only we can access', async () => {
    // Left over from an interrupted earlier start.
    mkdirSync(join(dataDir, 'postgresql.new-abc123', 'base'), { recursive: true })
    chmodSync(dataDir, 0o700)
    await withEmbedded(dataDir, async ({ connection, pid }) => {
      assert.equal(statSync(join(dataDir, 'postgresql')).mode & 0o777, 0o700)
      assert.equal(statSync(connection.host).mode & 0o777, 0o700)
      if (isRoot) assert.notEqual(statSync(join(dataDir, 'postgresql')).uid, 0)
      assert.ok(connection.host.startsWith('/') && connection.host.length < 80)
      const names = [
        'fsync',
        'synchronous_commit',
        'full_page_writes',
        'listen_addresses',
        'data_checksums',
        'TimeZone',
      ]
      const rows = await query(
        connection,
        `select ${names.map((name) => `current_setting('${name}') as "${name}"`).join(', ')}, current_setting('max_connections') as max`,
      )
      assert.deepEqual(rows, [
        {
          fsync: 'on',
          synchronous_commit: 'on',
          full_page_writes: 'on',
          listen_addresses: '',
          data_checksums: 'on',
          TimeZone: 'UTC',
          max: '120',
        },
      ])
      const environment = spawnSync('cat', [`/proc/${pid}/environ`], { encoding: 'utf8' }).stdout
      assert.ok(!environment.includes('HOME='), 'the server does not inherit our environment')
      await query(connection, 'create table kept (id int); insert into kept values (1)')
    })
  })

  test('a second start keeps the data, and stopping leaves no process and no socket', async () => {
    let server = 0
    let socket = ''
    await withEmbedded(dataDir, async ({ connection, pid, stop, exited }) => {
      server = pid
      socket = connection.host
      assert.deepEqual(await query(connection, 'select id from kept'), [{ id: 1 }])
      await Promise.all([stop(), stop()])
      assert.deepEqual(
        { ...(await exited), output: '' },
        { code: 0, signal: null, expected: true, output: '' },
      )
    })
    assert.ok(!isRunning(server))
    assert.ok(!existsSync(socket))
    assert.deepEqual(readdirSync(dataDir).toSorted(), ['postgresql', 'program.lock'])
  })

  test('a disposable one does not wait for the disk', async () => {
    const database = await startEmbedded({ dataDir: newDataDir(), log, isDisposable: true })
    try {
      const rows = await query(database.connection, `select current_setting('fsync') as fsync`)
      assert.deepEqual(rows, [{ fsync: 'off' }])
    } finally {
      await database.stop()
    }
  })

  test('an existing database is kept, ten concurrent calls create it once', async () => {
    await withEmbedded(dataDir, async ({ connection }) => {
      const all = await Promise.all(
        Array.from({ length: 10 }, () => createDatabaseIfMissing(connection, 'console')),
      )
      assert.deepEqual(await query(all[9] ?? connection, 'select current_database() as name'), [
        { name: 'console' },
      ])
      await assert.rejects(createDatabaseIfMissing(connection, 'no"name'), /not a usable name/)
    })
  })

  test('a second program is rejected with one line, also when the first is paused', async () => {
    const first = startProgram(dataDir)
    await first.says((line) => line.ready !== undefined)
    const refusal = new RegExp(
      `^DATA_DIR ${dataDir} is in use by process ${first.pid} \\(started 2\\d{3}-.*Z\\); stop it or choose another DATA_DIR$`,
    )
    await assert.rejects(startEmbedded({ dataDir, log }), ({ message }: Error) => refusal.test(message))
    process.kill(first.pid, 'SIGSTOP')
    const second = startProgram(dataDir)
    assert.match((await second.says((line) => line.failed !== undefined)).failed ?? '', refusal)
    process.kill(first.pid, 'SIGCONT')
    await first.end('SIGTERM')
    await withEmbedded(dataDir, async () => {})
  })

  test('one of three concurrent starts wins', async () => {
    const programs = Array.from({ length: 3 }, () => startProgram(dataDir))
    const answers = await Promise.all(
      programs.map(({ says }) => says((line) => line.ready !== undefined || line.failed !== undefined)),
    )
    assert.equal(answers.filter((line) => line.ready !== undefined).length, 1)
    await Promise.all(programs.map(({ end }) => end('SIGTERM')))
  })

  test('a crash of the server is reported, and the next start recovers', async () => {
    await withEmbedded(dataDir, async ({ pid, exited }) => {
      process.kill(pid, 'SIGKILL')
      const { expected, signal } = await exited
      assert.deepEqual({ expected, signal }, { expected: false, signal: 'SIGKILL' })
    })
    await withEmbedded(dataDir, async ({ connection }) => {
      assert.deepEqual(await query(connection, 'select id from kept'), [{ id: 1 }])
    })
  })

  test('a stale pid file does not prevent the start, even if the process id is reused', async () => {
    const notes = [
      `${process.pid}\n${dataDir}/postgresql\n1700000000\n5432\n/tmp/gone\n\n 1 1\nready\n`,
      '999999999\n',
      '',
    ]
    for (const note of notes) {
      writeFileSync(join(dataDir, 'postgresql', 'postmaster.pid'), note)
      await withEmbedded(dataDir, async () => {})
    }
  })
})

describe('after SIGKILL of the program', () => {
  const dataDir = newDataDir()
  const acknowledged: string[] = []

  /** Kills a writing program and restarts it: every acknowledged row exists, and the old server is gone. */
  async function killWhileWriting(how: (server: number) => void, env?: NodeJS.ProcessEnv): Promise<void> {
    const program = startProgram(dataDir, { task: 'write', ...(env && { env }) })
    const { server = 0, socket = '' } = await program.says((line) => line.ready !== undefined)
    await program.says((line) => line.acknowledged?.endsWith('-40') === true)
    how(server)
    await program.end('SIGKILL')
    acknowledged.push(...program.lines.flatMap((line) => line.acknowledged ?? []))
    await withEmbedded(dataDir, async ({ connection }) => {
      assert.ok(!isRunning(server), 'the old server is gone')
      assert.ok(!existsSync(socket), 'and its socket')
      const rows = await query({ ...connection, database: 'notes' }, 'select id from row')
      const stored = new Set(rows.map((row) => 'id' in row && row.id))
      assert.deepEqual(
        acknowledged.filter((id) => !stored.has(id)),
        [],
      )
    })
  }

  test('its server stops with it, and no acknowledged row is lost', async () => {
    for (let round = 0; round < 2; round++) await killWhileWriting(() => {})
  })

  test('nor when the server is killed with it', async () => {
    for (let round = 0; round < 2; round++)
      await killWhileWriting((server) => process.kill(server, 'SIGKILL'))
  })

  test('the next start stops a server that outlived its program', async () => {
    // A PATH without setpriv, as on systems that lack it.
    const bin = join(closed, 'bin')
    mkdirSync(bin)
    for (const name of ['id', 'ps']) {
      const found = spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim()
      spawnSync('ln', ['-s', found, join(bin, name)])
    }
    await killWhileWriting(() => {}, { PATH: bin })
    const program = startProgram(dataDir, { env: { PATH: bin } })
    const { server = 0 } = await program.says((line) => line.ready !== undefined)
    await program.end('SIGKILL')
    assert.ok(isRunning(server), 'it outlived the program')
    const next = startProgram(dataDir)
    await next.says((line) => line.ready !== undefined)
    assert.ok(next.lines.some(({ warning }) => warning?.includes('outlived its program')))
    assert.ok(!isRunning(server))
    await next.end('SIGTERM')
  })
})

describe('unusable directories', () => {
  const refuses = async (dataDir: string, message: RegExp) => {
    await assert.rejects(startEmbedded({ dataDir, log }), (error: Error) => {
      assert.match(error.message, message)
      assert.ok(!error.message.includes('\n'))
      return true
    })
  }
  const clusterWith = (files: Record<string, string>) => {
    const dataDir = newDataDir()
    for (const [name, content] of Object.entries(files)) {
      const path = join(dataDir, 'postgresql', name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
    }
    return dataDir
  }

  test('another major version', async () => {
    const dataDir = clusterWith({ PG_VERSION: '15\n', 'global/pg_control': '' })
    await refuses(
      dataDir,
      /was created by PostgreSQL 15, and this program contains PostgreSQL 18; start it with/,
    )
  })

  test('a foreign directory stays untouched', async () => {
    const dataDir = clusterWith({ 'thesis.txt': 'years of work' })
    await refuses(dataDir, /is not empty and is not a PostgreSQL directory/)
    assert.ok(existsSync(join(dataDir, 'postgresql', 'thesis.txt')))
  })

  test('a damaged cluster', async () => {
    await refuses(
      clusterWith({ PG_VERSION: '18\n' }),
      /is damaged: global\/pg_control, pg_wal, base is missing/,
    )
    const empty = { 'global/pg_control': '', 'pg_wal/x': '', 'base/x': '' }
    await refuses(clusterWith({ PG_VERSION: '18\n', ...empty }), /does not start: /)
  })

  test('a file, and a foreign lock file', async () => {
    const file = newDataDir()
    writeFileSync(file, '')
    await refuses(file, /DATA_DIR .* cannot be used: .* is not a directory; choose another/)
    await refuses(join(file, 'below'), /cannot be used/)
    if (existsSync('/proc'))
      await refuses('/proc/below', /^DATA_DIR \/proc\/below cannot be used: .*; choose another/)
    const dataDir = newDataDir()
    mkdirSync(dataDir)
    writeFileSync(
      join(dataDir, 'program.lock'),
      'somebody else wrote this, and it is longer than a hundred bytes'.repeat(9),
    )
    await refuses(dataDir, /cannot be locked/)
  })
})

describe('users and transports', () => {
  test('TCP on loopback requires the generated password', async () => {
    const dataDir = newDataDir()
    const embedded = await startEmbedded({ dataDir, log, transport: 'tcp' })
    const { connection } = embedded
    assert.equal(connection.host, '127.0.0.1')
    assert.ok((connection.password?.length ?? 0) >= 32)
    assert.equal(statSync(dataDir).mode & 0o777, 0o700)
    assert.equal(statSync(join(dataDir, 'postgresql.password')).mode & 0o777, 0o600)
    assert.deepEqual(await query(connection, 'select 1 as one'), [{ one: 1 }])
    await assert.rejects(
      query({ ...connection, password: 'wrong' }, 'select 1'),
      /password authentication failed/,
    )
    await embedded.stop()
  })

  test(
    'an ordinary user runs it as itself, and root takes over the directory',
    { skip: !isRoot && 'needs root' },
    async () => {
      const user = { uid: 65_534, gid: 65_534 }
      const open = mkdtempSync(join('/tmp', 'embedded-user-'))
      chmodSync(open, 0o700)
      chownSync(open, user.uid, user.gid)
      const dataDir = join(open, 'data')
      const program = startProgram(dataDir, { ...user, env: { PATH: process.env['PATH'] } })
      const { server } = await program.says((line) => line.ready !== undefined)
      const owner = spawnSync('ps', ['-o', 'uid=', '-p', String(server)], { encoding: 'utf8' }).stdout.trim()
      assert.equal(owner, String(user.uid))
      await program.end('SIGTERM')
      await withEmbedded(dataDir, async () => {})
      assert.equal(statSync(join(dataDir, 'postgresql')).uid, user.uid)
      // As after "cp -r" by root.
      spawnSync('chown', ['-R', '0:0', dataDir])
      await withEmbedded(dataDir, async () => {})
      rmSync(open, { recursive: true })
    },
  )
})

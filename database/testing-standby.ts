import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { binariesIn } from './server/binaries.ts'
import { giveTree, serverUser } from './server/os-user.ts'
import { makeRunDirectory, removeRunDirectory } from './server/place.ts'
import { startServer } from './server/server-process.ts'
import { fromUrl, toUrl } from './settings.ts'
import type { TestServer } from './testing.ts'

/** A streaming standby of a test server with the programs of the machine, as `pg_basebackup` makes it. */
export async function startTestStandby(
  primary: Pick<TestServer, 'url'>,
  binDirectory: string,
): Promise<Omit<TestServer, 'restart'> & { resume(): Promise<void> }> {
  const user = serverUser('')
  const root = makeRunDirectory(user, 'test')
  const directory = join(root, 'postgresql')
  const remove = () => removeRunDirectory(root)
  process.once('exit', remove)
  const { status, stderr } = spawnSync(
    join(binDirectory, 'pg_basebackup'),
    ['--pgdata', directory, '--write-recovery-conf', '--checkpoint=fast', '-d', toUrl(fromUrl(primary.url))],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`pg_basebackup failed: ${stderr}`)
  if (user !== undefined) giveTree(directory, user)
  const cluster = {
    directory,
    runDirectory: root,
    binaries: binariesIn(binDirectory, user),
    user,
    disposable: true,
  }
  const silent = { info: () => {}, warn: () => {}, error: () => {} }
  const start = () => startServer(cluster, silent, { max_connections: 400 })
  let server = await start()
  return {
    url: toUrl(server.connection),
    pause: () => server.stop(),
    async resume() {
      server = await start()
    },
    async stop() {
      await server.stop()
      remove()
      process.off('exit', remove)
    },
  }
}

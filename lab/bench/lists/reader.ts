import { createLocalJWKSet } from 'jose'
import { createActorAssertions, loadActorKey } from '#bff/runtime/actor-assertion.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { createLog } from '#http-kit/log.ts'
import { createRuntime } from '#runtime/app.ts'
import type { RuntimeDeps } from '#runtime/deps/runtime-deps.ts'
import { person } from '../person.ts'
import type { Case } from './cases.ts'

const CREDENTIAL = 'credential-of-the-benchmark-0123456789'

export interface Reader {
  deps: RuntimeDeps
  /** Requests a read the way the BFF does, without a network between them. */
  read(what: ReadOfCase): Promise<{ ms: number; data: unknown }>
  stop(): Promise<void>
}

type ReadOfCase = Partial<Pick<Case, 'grants' | 'query'>> & {
  path: string
  /** The ID of the person who reads. */
  by?: string
}

/** A runtime without a worker, on a database that is filled; with a standby, it reads from there what it may. */
export async function openReader({
  connection,
  dataDir,
  standby,
}: {
  connection: ConnectionSettings
  dataDir: string
  standby?: ConnectionSettings
}): Promise<Reader> {
  const key = await loadActorKey(dataDir)
  const runtime = await createRuntime({
    connection,
    ...(standby && { standby }),
    dataDir,
    platformApiBase: 'http://127.0.0.1',
    egressAllow: [],
    credentials: [CREDENTIAL],
    actorKeys: createLocalJWKSet({ keys: [key.publicJwk] }),
    log: createLog({ name: 'bench', level: 'silent' }),
    worker: 'off',
    rateLimit: { perSecond: 1e6, burst: 1e6 },
  })
  await runtime.start()
  const assertionOf = createActorAssertions(key)
  return {
    deps: runtime.deps,
    async read({ path, query = {}, grants, by = person.id }) {
      const assertion = await assertionOf({ ...person, id: by, grants: grants ?? person.grants })
      const headers = { authorization: `Bearer ${CREDENTIAL}`, 'x-runtime-actor-assertion': assertion }
      const url = `http://127.0.0.1/bundle-runtime/api${path}?${new URLSearchParams(query).toString()}`
      const started = performance.now()
      const response = await runtime.app.request(url, { headers })
      const { errorCode, data } = (await response.json()) as { errorCode: string; data: unknown }
      const ms = performance.now() - started
      if (errorCode !== '0') throw new Error(`${path} returned ${response.status} ${errorCode}`)
      return { ms, data }
    },
    stop: () => runtime.stop(),
  }
}

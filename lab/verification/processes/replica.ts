import { setTimeout as sleep } from 'node:timers/promises'
import { startChild } from './child.ts'
import type { Child, Exit } from './child.ts'

export interface ReplicaOptions {
  databaseUrl: string
  /** The replica's own directory; its keys persist there between starts. */
  dataDir: string
  port: number
  /** Where plugins reach the platform: the same for all replicas. */
  platformApiBase: string
  credential: string
  /** The file with the public key of actor assertions. */
  actorKeysFile: string
  /** The file with the key of sensitive values, the same for all replicas. */
  sealingKeyFile: string
  leaseSeconds: number
  /** Modules that are loaded before its program. */
  imports?: readonly URL[]
  env?: Record<string, string>
  /** `--api` or `--worker`; default: both. */
  args?: readonly string[]
  /** Receives every line of its output. */
  onLine?: (line: string) => void
  /** Its program at the next start; default: that of this version. */
  program?: () => URL
}

/** A real replica, started as `npm run start:runtime` starts it: API and worker in one process. */
export interface Replica {
  /** `…/bundle-runtime/api` */
  apiBase: string
  child(): Child
  start(): void
  /** Resolves when it is ready, with the database reached; it may be restarted meanwhile. */
  ready(): Promise<void>
  /** SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>
  /** SIGTERM; resolves with how it ended. */
  stop(): Promise<Exit>
  /** SIGSTOP; resolves when the process is paused. */
  pause(): Promise<void>
  resume(): void
}

const PROGRAM = new URL('../../../runtime/main.ts', import.meta.url)
const READY_TIMEOUT_MS = 90_000

export function createReplica(options: ReplicaOptions): Replica {
  const apiBase = `http://127.0.0.1:${options.port}/bundle-runtime/api`
  let child: Child | undefined
  const current = (): Child => {
    if (child === undefined) throw new Error('the replica was not started')
    return child
  }
  return {
    apiBase,
    child: current,
    start() {
      if (child?.isAlive() === true) throw new Error('the replica is already running')
      child = startChild({
        file: options.program?.() ?? PROGRAM,
        imports: options.imports ?? [],
        args: options.args ?? [],
        ...(options.onLine && { onLine: options.onLine }),
        env: {
          RUNTIME_PORT: String(options.port),
          RUNTIME_HOST: '127.0.0.1',
          DATA_DIR: options.dataDir,
          DATABASE_URL: options.databaseUrl,
          PLATFORM_API_BASE: options.platformApiBase,
          RUNTIME_API_CREDENTIAL: options.credential,
          ACTOR_ASSERTION_JWKS: options.actorKeysFile,
          SEALING_KEY_FILE: options.sealingKeyFile,
          LEASE_SECONDS: String(options.leaseSeconds),
          EGRESS_ALLOW: 'loopback',
          LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn',
          ...options.env,
        },
      })
    },
    async ready() {
      const deadline = performance.now() + READY_TIMEOUT_MS
      for (;;) {
        const signal = AbortSignal.timeout(2_000)
        const response = await fetch(`${apiBase}/readyz`, { signal }).catch(() => null)
        await response?.body?.cancel()
        if (response?.ok === true) return
        if (performance.now() > deadline)
          throw new Error(`a replica does not get ready: ${current().output().slice(-3).join(' | ')}`)
        await sleep(20)
      }
    },
    async kill() {
      child?.signal('SIGKILL')
      await child?.exited
    },
    async stop() {
      current().signal('SIGTERM')
      return await current().exited
    },
    async pause() {
      current().signal('SIGSTOP')
      await current().paused()
    },
    resume: () => current().signal('SIGCONT'),
  }
}

import { readConsoleSettings } from '#bff/settings.ts'
import type { ConsoleSettings } from '#bff/settings.ts'
import { readRuntimeSettings } from '#runtime/config.ts'

type RuntimeSettings = ReturnType<typeof readRuntimeSettings>

/** The settings of the programs that the environment is for. */
export interface Deployment {
  dataDir: string
  database: RuntimeSettings['database']
  /** Null if the environment is that of a runtime alone. */
  console: ConsoleSettings | null
  /** Null if the environment is that of a console alone. */
  runtime: RuntimeSettings | null
}

/**
 * Reads the settings. An environment with `RUNTIME_API_BASE` is that of a console, one with `ACTOR_ASSERTION_JWKS` that
 * of a runtime; with both or neither it is for both programs.
 *
 * @throws SettingsError with the first setting that is wrong.
 */
export function readDeployment(env: Record<string, string | undefined>): Deployment {
  const runtime = readRuntimeSettings(env)
  const console = readConsoleSettings(env)
  const hasRemoteRuntime = console.runtime !== null
  const isRemoteRuntime = runtime.actorAssertionJwks !== null
  return {
    dataDir: runtime.dataDir,
    database: runtime.database,
    console: isRemoteRuntime && !hasRemoteRuntime ? null : console,
    runtime: hasRemoteRuntime && !isRemoteRuntime ? null : runtime,
  }
}

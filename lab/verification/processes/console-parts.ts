import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { RuntimeEvent } from '#contract/runtime-api/events.ts'
import { ConsoleFailure } from '#bff/failure.ts'
import { createRuntimeClient } from '#bff/runtime/runtime-client.ts'

/** The parts of a console that depend on its release: it understands a runtime of the same release or a newer one. */
export interface ConsoleParts {
  createRuntimeClient: typeof createRuntimeClient
  ConsoleFailure: typeof ConsoleFailure
  permissions: typeof PERMISSIONS
  /** Throws if it is not an event. */
  readEvent(event: unknown): RuntimeEvent
}

export const THIS_CONSOLE: ConsoleParts = {
  createRuntimeClient,
  ConsoleFailure,
  permissions: PERMISSIONS,
  readEvent: (event) => runtimeApi['GET /events'].answer.parse(event),
}

/** The parts of another release, from the folder of its sources. It has the same modules. */
export async function consoleParts(folder: string): Promise<ConsoleParts> {
  const load = async (path: string): Promise<unknown> => await import(pathToFileURL(join(folder, path)).href)
  const { createRuntimeClient: create } = (await load('bff/runtime/runtime-client.ts')) as ConsoleParts
  const { ConsoleFailure: Failure } = (await load('bff/failure.ts')) as ConsoleParts
  const { PERMISSIONS: permissions } = (await load('contract/endpoint/permission.ts')) as {
    PERMISSIONS: typeof PERMISSIONS
  }
  const { runtimeApi: rows } = (await load('contract/runtime-api/rows.ts')) as {
    runtimeApi: typeof runtimeApi
  }
  return {
    createRuntimeClient: create,
    ConsoleFailure: Failure,
    permissions,
    readEvent: (event) => rows['GET /events'].answer.parse(event),
  }
}

import { isDeepStrictEqual } from 'node:util'
import type { EventDeclaration } from '../../../contract/protocol/event-declaration.ts'
import { PLUGIN_READS_VERSION } from '../../../contract/protocol/limits.ts'
import { EventDeclarationsResponse } from '../../../contract/protocol/plugin-reads.ts'
import { KeptReadings } from './kept-readings.ts'
import { callPlatform, PlatformCallFailed, platformUncertain, type PlatformOptions } from './platform.ts'
import type { ReferenceLocation } from './resolve-reference.ts'

/** Events by serviceId; null if the platform does not offer them. */
type Declarations = Readonly<Record<string, readonly EventDeclaration[]>> | null

/** How long declarations are used without reading them again. */
const KEPT_MS = 60_000

export interface DeclarationSource {
  /**
   * What this service accepts as the event, or null if the platform does not say; undefined: it has no such event. An
   * event that is missing from older declarations is looked for in new ones.
   */
  find(
    location: ReferenceLocation,
    target: { serviceId: string; method: string },
  ): Promise<EventDeclaration | null | undefined>
}

export function declarationSource(options: PlatformOptions, now: () => number): DeclarationSource {
  const kept = new KeptReadings<Declarations>()

  function read(location: ReferenceLocation, maxAgeMs: number): Promise<Declarations> {
    const key = JSON.stringify(location)
    const found = kept.find(key)
    if (found !== undefined && Math.abs(now() - found.readAt) < maxAgeMs) return found.reading
    return kept.add(key, readDeclarations(options, location), now())
  }

  return {
    async find({ installation, resource, propertyKey }, { serviceId, method }) {
      const location = { installation, resource, propertyKey }
      for (const maxAgeMs of [KEPT_MS, 0]) {
        const declarations = await read(location, maxAgeMs)
        if (declarations === null) return null
        const declared = declarations[serviceId]?.find((event) => event.method === method)
        if (declared !== undefined) return declared
      }
      return undefined
    },
  }
}

async function readDeclarations(
  options: PlatformOptions,
  location: ReferenceLocation,
): Promise<Declarations> {
  const request = { contractVersion: PLUGIN_READS_VERSION, ...location }
  try {
    const data = await callPlatform(options, '/event-declarations/read', request)
    const reading = EventDeclarationsResponse.safeParse(data)
    if (!reading.success) throw platformUncertain('The response of the platform is not an event declaration')
    const { events, ...echo } = reading.data
    if (!isDeepStrictEqual(echo, request))
      throw platformUncertain('The response of the platform is for another reference')
    return events
  } catch (error) {
    if (error instanceof PlatformCallFailed && error.status === 404) return null
    throw error
  }
}

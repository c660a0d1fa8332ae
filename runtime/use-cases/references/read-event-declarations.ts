import { PLUGIN_READS_VERSION } from '#contract/protocol/limits.ts'
import type { EventDeclarationsRequest, EventDeclarationsResponse } from '#contract/protocol/plugin-reads.ts'
import type { Db } from '../../model/db.ts'
import type { PluginReads } from '../../store/references.ts'
import { readEvents } from '../../store/services/event-declarations.ts'
import { loadTargets } from './read-references.ts'

/**
 * The events that each target of a reference property accepts; the same checks as for resolving it. A service without an
 * owning Module accepts any payload for its methods. Throws DomainError as {@link loadTargets} does.
 */
export async function readEventDeclarations(
  { db, reads }: { db: Db; reads: PluginReads },
  pluginId: string,
  { installation, resource, propertyKey }: EventDeclarationsRequest,
): Promise<EventDeclarationsResponse> {
  const { targets } = await loadTargets(reads, pluginId, { installation, resource, propertyKey })
  const declared = await readEvents(
    db,
    targets.map(({ service_id }) => service_id),
  )
  return {
    contractVersion: PLUGIN_READS_VERSION,
    installation,
    resource,
    propertyKey,
    events: Object.fromEntries(
      targets.map(({ service_id, methods }) => [
        service_id,
        declared.get(service_id) ?? methods.map((method) => ({ method, schema: true })),
      ]),
    ),
  }
}

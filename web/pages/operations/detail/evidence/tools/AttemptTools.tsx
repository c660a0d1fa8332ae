import type { PluginCall } from '#contract/console-api/shapes.ts'
import type { Stage } from '#contract/protocol/vocabulary.ts'
import { CompareAttempts } from './CompareAttempts.tsx'
import { SearchPayloads } from './SearchPayloads.tsx'

/** The views of a call's payloads that load when they are opened. */
export function AttemptTools({
  stage,
  call,
  view,
}: {
  stage: Stage
  call: PluginCall
  view: 'search' | 'compare'
}) {
  return view === 'search' ? <SearchPayloads call={call} /> : <CompareAttempts stage={stage} call={call} />
}

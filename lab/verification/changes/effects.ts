import type { JsonValue } from '#contract/json-schema/json.ts'
import type { ChangePlan, ChangeRequestDetail } from '#contract/runtime-api/change-requests.ts'
import type { Waves } from '#contract/runtime-api/waves.ts'
import type { Reader } from '../invariants/reader.ts'
import { readJson } from '../invariants/reader.ts'
import { requestText } from '#runtime/http/read-request.ts'

/** What people know of a request before they act on it. */
export type SeenRequest = Pick<ChangeRequestDetail, 'revision' | 'kind' | 'batchId' | 'input'>

const REQUEST = `
  select json_build_object('revision', revision, 'kind', kind, 'batchId', batch_id, 'input', shown_input)::text as json
  from runtime.change_request where change_request_id = $1`

/** Reads it in one statement: the use case would plan it, and what it returns is not judged. */
export async function lookAt(reader: Reader, changeRequestId: string): Promise<SeenRequest> {
  // the statement builds exactly this shape
  return (await readJson(reader, REQUEST, [changeRequestId])) as SeenRequest
}

/**
 * What a plan says that it changes: equal texts for equal effects, as far as people see them.
 *
 * @param about The version of an UPGRADE; of a batch its target and its waves too.
 */
export function effectText(
  about: JsonValue,
  changes: readonly { locator: string; property: string; before: unknown; after: unknown }[],
): string {
  return requestText([
    about,
    // JSON, as a plan is
    ...changes
      .map(({ locator, property, before, after }) =>
        requestText([locator, property, before, after] as JsonValue),
      )
      .toSorted(),
  ])
}

/** What an approver sees of a plan: one text, or of a batch one for each target. */
export function effectsSeen(
  { kind, input }: SeenRequest,
  { configuration, operation, batch }: ChangePlan,
): string[] {
  if (batch !== undefined)
    return batch.items.map(({ target, values }) =>
      effectText(
        aboutTarget(target, {
          targetVersion: input.batch?.targetVersion ?? null,
          waves: input.waves ?? null,
        }),
        input.action === 'UPGRADE' ? [] : values,
      ),
    )
  const changes = (configuration ?? operation)?.changes ?? []
  return [effectText(kind === 'UPGRADE' ? (operation?.targetVersion ?? null) : null, changes)]
}

/** What is said of a target of a batch, besides the values. */
export const aboutTarget = (
  bundleInstallId: string,
  { targetVersion, waves }: { targetVersion: string | null; waves: Waves | null },
): JsonValue => [bundleInstallId, targetVersion, waves as JsonValue]

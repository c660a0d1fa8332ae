import { parseTrustedJson } from '#contract/protocol/strict-json.ts'
import type { Permission } from '#contract/endpoint/permission.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { BATCH_PERMISSION } from '#contract/runtime-api/batch-permission.ts'
import type { BatchTargets } from '#contract/runtime-api/batches.ts'
import type { NewChangeRequest } from '#contract/runtime-api/change-requests.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { ChangeKind } from '#contract/runtime-api/vocabulary.ts'
import type { Db } from '../../model/db.ts'
import { changeRequestPlace } from '../../sealing/places.ts'
import { opening } from '../../sealing/sealed-value.ts'
import type { ChangeRequestRow } from '../../store/change-requests/change-requests.ts'
import type { TokenKeys } from '../plans/plan-token.ts'

/** What a request asks for, with the values that it keeps put in. */
export type ChangeInput =
  | { kind: 'CONFIGURE'; scope: Scope; input: { changes: Changes; apply?: SaveApply } }
  | { kind: 'INSTALL'; input: InstallInput }
  | {
      kind: 'UPGRADE'
      input: { bundleInstallId: string; targetVersion: string; properties?: Changes | undefined }
    }
  | { kind: 'DETACH'; input: { bundleInstallId: string } }
  | { kind: 'TAKEOVER'; input: { operationId: string; run: number } }
  | { kind: 'BATCH'; input: BatchTargets }
type SaveApply = Extract<NewChangeRequest, { kind: 'CONFIGURE' }>['input']['apply']
type InstallInput = Omit<Extract<NewChangeRequest, { kind: 'INSTALL' }>['input'], 'properties'> & {
  properties?: Changes | undefined
}

/** What is sealed with a request. */
export interface ChangeContent {
  change: ChangeInput
  /** What was saved where a CONFIGURE changes it, when it was written or merged last. */
  base: Changes
  /** What its targets were given when somebody wrote or scheduled it last (`givenTo`). Absent in one of an earlier release. */
  seen?: Record<string, string>
  /** The key of its digests, so that they outlive data keys and tell nothing about values of other requests. */
  key: string
}

/** What a request asks for. It has been discarded if the request is being applied or has ended. */
export async function openContent(
  { db, vault }: { db: Db; vault: TokenKeys['vault'] },
  { change_request_id, content }: Pick<ChangeRequestRow, 'change_request_id' | 'content'>,
): Promise<ChangeContent> {
  if (content === null) throw new TypeError('The content of the change request has been discarded')
  const plain = await opening(vault, db, () => vault.open(content, changeRequestPlace(change_request_id)))
  // written by `sealContent`
  return parseTrustedJson(plain.toString('utf8')) as ChangeContent
}

export function sealContent(
  vault: TokenKeys['vault'],
  changeRequestId: string,
  content: ChangeContent,
): Buffer {
  return vault.seal(Buffer.from(JSON.stringify(content)), changeRequestPlace(changeRequestId))
}

/** The permission that the ordinary request needs in each scope. */
export function permissionFor(change: ChangeInput): Permission {
  if (change.kind === 'BATCH') return BATCH_PERMISSION[change.input.action]
  return BATCH_PERMISSION[change.kind]
}

/** The kinds for which a policy may require approvals: an item of a batch also counts as its own kind. */
export function kindsOf(change: ChangeInput): ChangeKind[] {
  if (change.kind !== 'BATCH') return [change.kind]
  const { action } = change.input
  // a retry changes no plan, so no policy asks for its approval
  return action === 'RETRY' ? [] : ['BATCH', action]
}

import { access, constants, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SettingsError } from '#http-kit/settings.ts'
import { nullWhen, writeOnce } from '#http-kit/secret-files.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { findOperation } from '../store/operations/operations.ts'
import { systemActor } from '../use-cases/audit/record.ts'
import { readDetail, receiptOf } from '../use-cases/operations/read.ts'

/** Refuses an archive that is not a directory in which this user may write. It is not created: on a missing mount, receipts would be lost with the machine. */
export async function requireArchive(directory: string | null): Promise<void> {
  if (directory === null) return
  const subject = `RETENTION_ARCHIVE_DIR is wrong: ${directory}`
  const found = await stat(directory).catch(() => null)
  if (found?.isDirectory() !== true)
    throw new SettingsError(
      `${subject} is not a directory that the user of this program can see; mount or create it`,
    )
  await access(directory, constants.W_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) => {
    throw new SettingsError(
      error.code === 'EROFS'
        ? `${subject} is on a read-only file system; mount it with write access`
        : `${subject} is a directory in which this user cannot write; change its owner`,
    )
  })
}

/**
 * Writes the receipts of operations to `<directory>/<year>-<month>/<operation>.json`, by the month in which they were created.
 * A receipt that is there already stays: it is the one with the attempts.
 */
export async function archiveReceipts(
  deps: RuntimeDeps,
  directory: string,
  operationIds: readonly string[],
): Promise<void> {
  await requireArchive(directory)
  const actor = systemActor('retention-archive')
  for (const operationId of operationIds) {
    const stored = await findOperation(deps.db, operationId)
    if (stored === undefined) continue
    const month = join(directory, stored.created_at.slice(0, 7))
    const file = `${operationId}.json`
    // a step that ran out of time continues where it stopped, instead of repeating the same receipts each time
    if ((await stat(join(month, file)).catch(nullWhen('ENOENT'))) !== null) continue
    const operation = await readDetail({ deps, actor }, operationId)
    const receipt = receiptOf(deps.vault, operation, { at: deps.clock.now(), by: actor })
    const text = `${JSON.stringify(receipt, null, 2)}\n`
    await writeOnce(month, file, text)
  }
}

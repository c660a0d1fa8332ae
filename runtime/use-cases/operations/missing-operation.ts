import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { uuidv7Time } from '#http-kit/ids.ts'
import { DomainError } from '../../engine/refusals.ts'
import type { Db } from '../../model/db.ts'
import { readOperationsUntil } from '../../store/retention/retention-row.ts'
import { notFound } from '../authorize.ts'

/**
 * The refusal for an operation that is not stored. If its ID is older than what retention keeps, it says so. The ID alone
 * decides, so that nobody learns whether the operation existed.
 */
export async function missingOperation(db: Db, operationId: string): Promise<DomainError> {
  const until = await readOperationsUntil(db)
  const createdAt = uuidv7Time(operationId)
  if (until === null || createdAt === null || createdAt >= new Date(until)) return notFound('operation')
  return new DomainError('NOT_FOUND', platformMessage('operationRemoved', { date: until.slice(0, 10) }))
}

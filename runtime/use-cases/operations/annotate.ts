import { platformMessage } from '#contract/protocol/platform-messages.ts'
import { isProgram } from '#contract/runtime-api/vocabulary.ts'
import type { Person } from '#contract/runtime-api/common.ts'
import { MAX_NOTES } from '#contract/runtime-api/operations.ts'
import type { Note } from '#contract/runtime-api/operations.ts'
import { DomainError } from '../../engine/refusals.ts'
import { assigneeOf } from '../../engine/views.ts'
import { scopeOf } from '../../store/configuration/scopes.ts'
import { emitEvents } from '../../store/events.ts'
import {
  findPersonName,
  insertNote,
  lockOperations,
  readNotes,
  updateAssignees,
} from '../../store/operations/operations.ts'
import { findVisible } from '../../store/visible-scopes.ts'
import { notifyAssignee } from '../../store/inbox/notifications.ts'
import type { NoteRow, TitledOperation } from '../../store/operations/operations.ts'
import { recordEach } from '../audit/record.ts'
import type { Answer, Input, WriteContext } from '../context.ts'
import { lockOperationFor } from './runs.ts'

/**
 * Assigns an operation to a person, or to nobody. Refuses with OPERATION_ASSIGNEE_CHANGED unless the assignee is still the
 * one that the caller saw, and with REQUEST_INVALID if the new assignee has never signed in.
 */
export async function assignOperation(
  context: WriteContext,
  { params, body }: Input<'PUT /operations/{operationId}/assignee'>,
): Promise<Answer<'PUT /operations/{operationId}/assignee'>> {
  const operation = await lockOperationFor(context, 'operation:annotate', params.operationId)
  const current = assigneeOf(operation)
  if ((current?.id ?? null) !== body.expected)
    throw new DomainError(
      'OPERATION_ASSIGNEE_CHANGED',
      current === null
        ? platformMessage('operationUnassigned')
        : platformMessage('operationAssigned', { person: current.name }),
    )
  const assignee = body.assignee === null ? null : await findPerson(context, body.assignee)
  await updateAssignees(context.tx, [params.operationId], assignee)
  await tellAssignee(context, [params.operationId], assignee)
  await record(context, [operation], assignedTo(assignee))
  return { assignee }
}

/**
 * Assigns operations to a person, or to nobody, and replaces their assignees: who selects them has seen them. Leaves out those
 * that the actor may not assign, and says which.
 */
export async function assignOperations(
  context: WriteContext,
  { body }: Input<'POST /operations/assign'>,
): Promise<Answer<'POST /operations/assign'>> {
  const { tx, actor } = context
  const assignee = body.assignee === null ? null : await findPerson(context, body.assignee)
  const ids = [...new Set(body.operationIds)].toSorted()
  // what they may not assign is not locked: they would wait for it, and make others wait
  const allowed = await findVisible(tx, actor, 'operation', ids, 'operation:annotate')
  // all at once: anyone who acts on one of them waits, workers too
  const operations = await lockOperations(tx, [...allowed])
  const assigned = operations.map(({ operation_id }) => operation_id)
  await updateAssignees(tx, assigned, assignee)
  // who has one already was told then
  const isNew = operations.filter(({ assignee_id }) => assignee_id !== assignee?.id)
  await tellAssignee(
    context,
    isNew.map(({ operation_id }) => operation_id),
    assignee,
  )
  await record(context, operations, assignedTo(assignee))
  const found = new Set(assigned)
  return { assignee, assigned: assigned.length, refused: ids.filter((id) => !found.has(id)) }
}

/** Nobody is notified of what they assign to themselves. */
async function tellAssignee(
  { tx, actor }: WriteContext,
  operationIds: readonly string[],
  assignee: Person | null,
): Promise<void> {
  if (assignee === null || assignee.id === actor.id) return
  await notifyAssignee(tx, operationIds, { assignee, by: { id: actor.id, name: actor.name } })
}

/** Adds a note to an operation. Refuses with REQUEST_INVALID if the operation has the maximum number of notes already. */
export async function addNote(
  context: WriteContext,
  { params, body }: Input<'POST /operations/{operationId}/notes'>,
): Promise<Answer<'POST /operations/{operationId}/notes'>> {
  const { tx, actor } = context
  const operation = await lockOperationFor(context, 'operation:annotate', params.operationId)
  const count = (await readNotes(tx, params.operationId)).length
  if (count >= MAX_NOTES)
    throw new DomainError('REQUEST_INVALID', platformMessage('operationNotesFull', { max: MAX_NOTES }))
  const note = await insertNote(tx, {
    operationId: params.operationId,
    number: count + 1,
    author: { id: actor.id, name: actor.name },
    text: body.text,
  })
  await record(context, [operation], { action: 'operation.note', suffix: '', reason: body.text })
  return { note: noteView(note) }
}

export const noteView = (row: Omit<NoteRow, 'operation_id'>): Note => ({
  number: row.number,
  author: { id: row.author_id, name: row.author_name },
  at: row.at,
  text: row.text,
})

/** The person of an ID. Refuses with REQUEST_INVALID one who has never signed in. */
export async function findPerson(
  { tx, actor }: Pick<WriteContext, 'tx' | 'actor'>,
  id: string,
): Promise<Person> {
  if (id === actor.id) return { id, name: actor.name }
  const name = isProgram(id) ? undefined : await findPersonName(tx, id)
  if (name === undefined) throw new DomainError('REQUEST_INVALID', platformMessage('personUnknown'))
  return { id, name }
}

interface Recorded {
  action: 'operation.assign' | 'operation.note'
  /** After the name of the operation. */
  suffix: string
  reason: string | null
}

const assignedTo = (assignee: Person | null): Recorded => ({
  action: 'operation.assign',
  suffix: ` → ${assignee?.name ?? '–'}`,
  reason: null,
})

async function record(
  { tx, actor }: WriteContext,
  operations: readonly TitledOperation[],
  { action, suffix, reason }: Recorded,
): Promise<void> {
  await recordEach(
    tx,
    actor,
    operations.map((operation) => ({
      action,
      subject: `${operation.operation_type} of ${operation.installation_title}${suffix}`,
      reason,
      scope: scopeOf(operation),
      bundleInstallId: operation.bundle_install_id,
      operationId: operation.operation_id,
    })),
  )
  await emitEvents(
    tx,
    operations.map(({ scope_id, operation_id }) => ({
      kind: 'operation',
      scopeId: scope_id,
      objectId: operation_id,
    })),
  )
}

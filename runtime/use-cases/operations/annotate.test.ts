import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import type { Permission } from '#contract/endpoint/permission.ts'
import { MAX_NOTES } from '#contract/runtime-api/operations.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import { RUNTIME_ACTOR_ID } from '#contract/runtime-api/vocabulary.ts'
import type { Actor } from '../../model/actor.ts'
import { testEngine } from '../../testing/engine.ts'
import type { TestEngine } from '../../testing/engine.ts'
import { planWith } from '../../testing/plan.ts'
import { actorWith } from '../../testing/runtime.ts'
import { recordAudit } from '../audit/record.ts'
import { addNote, assignOperation, assignOperations } from './annotate.ts'
import { listOperations } from './list.ts'
import { readOperation, readReceipt } from './read.ts'

suite('the assignee and the notes of an operation', { concurrency: false }, () => {
  let engine: TestEngine
  let operationId: string
  let other: string
  const person = (name: string, ...permissions: Permission[]) =>
    actorWith([{ permissions: ['read', 'operation:export', ...permissions], scope: null }], name)
  const grace = person('Grace', 'operation:annotate')
  const alan = person('Alan', 'operation:annotate')

  const freeze = async () =>
    (await engine.freeze({ installation: await engine.installation(), plan: planWith() })).operation_id

  before(async () => {
    engine = await testEngine()
    operationId = await freeze()
    other = await freeze()
  })
  after(() => engine.close())

  const assign = (actor: Actor, assignee: string | null, expected: string | null) =>
    engine.runtime.write(
      (context) =>
        assignOperation(context, { params: { operationId }, query: {}, body: { assignee, expected } }),
      actor,
    )
  const note = (actor: Actor, text: string) =>
    engine.runtime.write(
      (context) => addNote(context, { params: { operationId }, query: {}, body: { text } }),
      actor,
    )
  const input = () => ({ params: { operationId }, query: {}, body: undefined })
  const read = () => readOperation({ deps: engine.deps, actor: grace }, input())
  const idsOf = async (assignee: string) => {
    const query = runtimeApi['GET /operations'].query.parse({ assignee })
    const page = await listOperations(
      { deps: engine.deps, actor: grace },
      { params: {}, query, body: undefined },
    )
    return page.items.map((item) => item.operationId)
  }

  test('of two people who assign it to themselves at once, the second sees who has it', async () => {
    const results = await Promise.allSettled([assign(grace, grace.id, null), assign(alan, alan.id, null)])
    const refused = results.find((result) => result.status === 'rejected')
    const { assignee } = await read()
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal(refused?.reason.code, 'OPERATION_ASSIGNEE_CHANGED')
    assert.ok(assignee !== null)
    assert.match(refused?.reason.message, new RegExp(`assigned to ${assignee.name}`))
    const [winner, loser] = assignee.id === grace.id ? [grace, alan] : [alan, grace]
    assert.deepEqual(await idsOf(winner.id), [operationId])
    assert.deepEqual(await idsOf(loser.id), [])
    assert.deepEqual(await idsOf('-'), [other])

    await assign(loser, null, winner.id)
    assert.equal((await read()).assignee, null)
    await assert.rejects(assign(loser, null, winner.id), { code: 'OPERATION_ASSIGNEE_CHANGED' })
    assert.deepEqual((await idsOf('-')).toSorted(), [operationId, other].toSorted())
  })

  test('many are assigned with as many statements as one, because others wait for them (J01)', async () => {
    const ids = [await freeze(), await freeze(), await freeze(), await freeze()]
    const statementsFor = async (operationIds: string[]) => {
      let count = 0
      const counter: KyselyPlugin = {
        transformQuery: ({ node }) => (count++, node),
        transformResult: ({ result }) => Promise.resolve(result),
      }
      const body = { operationIds, assignee: alan.id }
      const { assigned } = await engine.runtime.write(
        ({ tx, ...context }) =>
          assignOperations({ ...context, tx: tx.withPlugin(counter) }, { params: {}, query: {}, body }),
        grace,
      )
      assert.equal(assigned, operationIds.length)
      return count
    }
    assert.equal(await statementsFor(ids.slice(1)), await statementsFor(ids.slice(0, 1)))
    assert.deepEqual((await idsOf(alan.id)).toSorted(), ids)
  })

  test('only people who are known can be assigned, and only by those who may annotate', async () => {
    await assert.rejects(assign(grace, 'nobody-knows', null), { code: 'REQUEST_INVALID' })
    // its actions are in the audit too
    const program = { ...person('Bundle Console'), id: RUNTIME_ACTOR_ID }
    await engine.runtime.write(({ tx }) =>
      recordAudit(tx, program, { action: 'operation.assign', subject: '' }),
    )
    await assert.rejects(assign(grace, program.id, null), { code: 'REQUEST_INVALID' })
    const viewer = person('Viewer')
    await assert.rejects(assign(viewer, viewer.id, null), { code: 'PERMISSION_DENIED' })
    await assert.rejects(note(viewer, 'x'), { code: 'PERMISSION_DENIED' })
  })

  test('notes are kept as they were written, in order, and are in the receipt', async () => {
    const texts = ['<img src=x onerror=alert(1)>', '[a](javascript:alert(1)) **b**', 'two\nlines']
    for (const text of texts) await note(alan, text)
    assert.deepEqual(
      (await read()).notes?.map(({ number, author, text }) => [number, author.name, text]),
      texts.map((text, index) => [index + 1, 'Alan', text]),
    )
    const entry = await engine.runtime.db
      .selectFrom('runtime.audit_entry')
      .select('subject')
      .where('action', '=', 'operation.note')
      .executeTakeFirstOrThrow()
    assert.equal(entry.subject, 'INSTALL of CRM')
    const receipt = await readReceipt({ deps: engine.deps, actor: grace }, input())
    assert.deepEqual(receipt.operation.notes, (await read()).notes)
    assert.equal(receipt.operation.title, 'CRM')
  })

  test('an operation has a limited number of notes', async () => {
    const count = (await read()).notes?.length ?? 0
    await engine.runtime.db
      .insertInto('runtime.operation_note')
      .values(
        Array.from({ length: MAX_NOTES - count }, (_, index) => ({
          operation_id: operationId,
          number: count + index + 1,
          author_id: 'ada',
          author_name: 'Ada',
          text: 'x',
        })),
      )
      .execute()
    await assert.rejects(note(alan, 'one more'), { code: 'REQUEST_INVALID' })
  })

  test('a note has a length and no control characters', () => {
    const { body } = runtimeApi['POST /operations/{operationId}/notes']
    const isValid = (text: string) => body.safeParse({ text }).success
    assert.ok(isValid('two\nlines\tand a tab'))
    assert.ok(isValid('x'.repeat(1000)))
    for (const text of ['', '  ', 'x'.repeat(1001), 'a\u0000b', 'a\u001b[31m', 'a\u202eb'])
      assert.ok(!isValid(text), JSON.stringify(text))
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import { EMPTY, applyStep, type Draft } from '../draft/draft.ts'
import { configuration, CORE, data, define, hidden, MAIL, resource } from '../testing.ts'
import { documentOf, readDocument } from '../../../subjects/document/document.ts'
import { expressible, stepTo } from './document.ts'

const saved = configuration(7, {
  [CORE]: resource({
    definitions: {
      name: define({ schema: { type: 'string', minLength: 2 } }),
      seats: define(),
      password: define({ isSensitive: true }),
      token: define({ isSensitive: true }),
      tenant: define(),
      publisher: define({ kind: 'SERVICE_REFERENCE' }),
    },
    writtenBy: { tenant: 'tenants' },
    properties: {
      name: data('Acme'),
      seats: data(5),
      password: hidden(true),
      token: hidden(false),
      tenant: data('t-1'),
      publisher: { '@type': 'ServiceReference', serviceId: 'news' },
    },
  }),
  [MAIL]: resource({ definitions: { host: define() }, properties: { host: data('a') } }),
})

const text = () => structuredClone(documentOf(saved, EMPTY))
const at = (document: JsonObject, locator: string) => document[locator] as Record<string, JsonValue>
const wants = (document: JsonValue, draft: Draft = EMPTY, before: JsonValue = documentOf(saved, draft)) => {
  const reading = readDocument(document, saved)
  const after = expressible(reading, { before, document })
  return applyStep(
    draft,
    stepTo(reading.wanted, { configuration: saved, newest: saved, draft, before, after }),
  )
}
const kinds = (document: JsonValue) => readDocument(document, saved).problems.map(({ kind }) => kind)

describe('the configuration as one document', () => {
  it('contains everything, and of sensitive values only that they are set', () => {
    assert.deepEqual(at(text(), CORE), {
      name: 'Acme',
      password: { '@type': 'Data', isSensitive: true },
      publisher: { '@type': 'ServiceReference', serviceId: 'news' },
      seats: 5,
      tenant: 't-1',
    })
  })

  it('takes a typed value for data too, and writes data that looks like one as what it is', () => {
    const document = text()
    at(document, CORE)['seats'] = { '@type': 'Data', value: 5 }
    assert.deepEqual(wants(document), EMPTY)
    at(document, CORE)['seats'] = { '@type': 'Data', value: { '@type': 'mine' } }
    const draft = wants(document)
    assert.deepEqual(draft[CORE]?.['seats']?.edit, { kind: 'set', value: data({ '@type': 'mine' }) })
    assert.deepEqual(at(documentOf(saved, draft), CORE)['seats'], at(document, CORE)['seats'])
    at(document, CORE)['seats'] = null
    assert.deepEqual(wants(document)[CORE]?.['seats']?.edit, { kind: 'set', value: data(null) })
  })

  it('results in no changes when it is unchanged', () => {
    const { wanted, problems, omitted } = readDocument(text(), saved)
    assert.deepEqual(
      [...wanted.values()].flatMap((edits) => [...edits]),
      [],
    )
    assert.deepEqual([problems, omitted], [[], []])
  })

  it('turns changed, added and removed properties into edits based on the displayed values', () => {
    const document = text()
    at(document, CORE)['name'] = { '@type': 'Data', value: 'Bolt' }
    at(document, CORE)['token'] = { '@type': 'Data', value: 'x', isSensitive: true }
    delete at(document, CORE)['seats']
    assert.deepEqual(wants(document), {
      [CORE]: {
        name: {
          edit: { kind: 'set', value: { '@type': 'Data', value: 'Bolt' } },
          base: data('Acme'),
          version: 7,
          isSensitive: false,
        },
        token: {
          edit: { kind: 'set', value: { '@type': 'Data', value: 'x', isSensitive: true } },
          base: hidden(false),
          version: 7,
          isSensitive: true,
        },
        seats: { edit: { kind: 'removed' }, base: data(5), version: 7, isSensitive: false },
      },
    })
  })

  it('ignores removals that are not allowed: of sensitive properties, of plugin properties, and of whole resources', () => {
    const document = text()
    delete at(document, CORE)['password']
    delete at(document, CORE)['tenant']
    delete document[MAIL]
    assert.deepEqual(wants(document), EMPTY)
    assert.deepEqual(readDocument(document, saved).omitted, [MAIL])
  })

  it('contains the edits, and discards them when they are undone in it', () => {
    const document = text()
    at(document, CORE)['name'] = 'Bolt'
    const draft = wants(document)
    assert.deepEqual(documentOf(saved, draft), document)
    assert.deepEqual(wants(text(), draft), EMPTY)
  })

  it('does not change what it contained before, so that it never overwrites an edit of the form', () => {
    const opened = text()
    at(opened, CORE)['name'] = { '@type': 'Data', value: 'Bolt' }
    const draft = wants(opened)
    const inForm = wants({ ...opened, [CORE]: { ...at(opened, CORE), name: data('Crate') } }, draft, opened)
    const document = structuredClone(opened)
    at(document, CORE)['seats'] = { '@type': 'Data', value: 6 }
    const next = wants(document, inForm, opened)
    assert.deepEqual(
      Object.values(next[CORE] ?? {}).map(({ edit }) => edit),
      [
        { kind: 'set', value: data('Crate') },
        { kind: 'set', value: data(6) },
      ],
    )
    assert.deepEqual(wants(text(), inForm, text()), inForm)
  })

  it('keeps an edit while its text has an error', () => {
    const document = text()
    at(document, CORE)['name'] = { '@type': 'Data', value: 'Bolt' }
    const draft = wants(document)
    const broken = structuredClone(document)
    at(broken, CORE)['name'] = { '@type': 'Dat', value: 'Bolt' }
    assert.deepEqual(wants(broken, draft, document), draft)
    assert.deepEqual(wants(text(), draft, broken), EMPTY)
  })

  it('does not contain sensitive values that were typed, and keeps them', () => {
    const typed = text()
    at(typed, CORE)['password'] = { '@type': 'Data', value: 'new', isSensitive: true }
    const draft = wants(typed)
    const document = documentOf(saved, draft)
    assert.deepEqual(document, text())
    at(document, CORE)['name'] = { '@type': 'Data', value: 'Bolt' }
    assert.deepEqual(Object.keys(wants(document, draft)[CORE] ?? {}), ['password', 'name'])
  })

  it('keeps a value that was saved when it was generated, if another one has been saved since', () => {
    const seats = (value: number) => ({ ...at(text(), CORE), seats: data(value) })
    const newest = configuration(8, {
      ...saved.resources,
      [CORE]: resource({
        ...saved.resources[CORE],
        definitions: saved.resources[CORE]?.definitions ?? {},
        properties: { ...saved.resources[CORE]?.properties, seats: data(9), tenant: data('t-2') },
      }),
    })
    const after = { ...text(), [CORE]: seats(5) }
    const step = (before: JsonObject, draft: Draft) =>
      stepTo(readDocument(after, saved).wanted, { configuration: saved, newest, draft, before, after })
    const before = { ...text(), [CORE]: { ...seats(9), tenant: data('mine') } }
    const set = (value: number) => ({ kind: 'set' as const, value: wrapData(value) })
    const kept = { edit: set(5), base: data(5), version: 7, isSensitive: false }
    // somebody saved the same 9, so the edit was discarded while this was typed
    assert.deepEqual(step(before, EMPTY), [{ locator: CORE, property: 'seats', next: kept }])
    const mine = { ...kept, edit: set(9) }
    assert.deepEqual(step(before, { [CORE]: { seats: mine } }), [
      { locator: CORE, property: 'seats', next: kept },
    ])
  })

  it('takes nothing for changed that it could not express for a while', () => {
    const newest = configuration(8, {
      ...saved.resources,
      [MAIL]: resource({ definitions: { host: define() }, properties: { host: data('theirs') } }),
    })
    const secret = { kind: 'set' as const, value: wrapSensitive('typed') }
    const draft: Draft = {
      [CORE]: { password: { edit: secret, base: hidden(true), version: 7, isSensitive: true } },
    }
    const whole = documentOf(saved, draft)
    for (const broken of [
      { [CORE]: at(whole, CORE), 'production/crm/MODULE/mistyped': at(whole, MAIL) },
      { ...whole, [MAIL]: null },
      { ...whole, [MAIL]: { host: { '@type': 'none' } } },
      { ...whole, [CORE]: { ...at(whole, CORE), password: { '@type': 'none' } } },
      { [MAIL]: at(whole, MAIL) },
      [],
    ]) {
      const reading = readDocument(broken, saved)
      const before = expressible(reading, { before: whole, document: broken })
      const first = { configuration: saved, newest: saved, draft, before: whole, after: before }
      assert.deepEqual(stepTo(reading.wanted, first), [])
      const back = { configuration: saved, newest, draft, before, after: whole }
      assert.deepEqual(stepTo(readDocument(whole, saved).wanted, back), [])
    }
  })

  it('discards the edit of a property that a plugin writes since', () => {
    const mine = { kind: 'set' as const, value: wrapData('mine') }
    const draft: Draft = {
      [CORE]: { tenant: { edit: mine, base: data('t-0'), version: 6, isSensitive: false } },
    }
    const next = wants(text(), draft)
    assert.deepEqual(next, {})
  })

  it('reports values that cannot be saved, with their paths', () => {
    const bad = (property: string, value: JsonValue) => {
      const document = text()
      at(document, CORE)[property] = value
      return readDocument(document, saved).problems.map(({ kind, path }) => [kind, path])
    }
    const path = '/production~1crm~1MODULE~1core'
    assert.deepEqual(bad('name', { '@type': 'Dat' }), [['wrapper', `${path}/name`]])
    assert.deepEqual(bad('name', 'x'), [['value', `${path}/name`]])
    assert.deepEqual(bad('publisher', 'news'), [['value', `${path}/publisher`]])
    assert.deepEqual(bad('name', { '@type': 'Data', isSensitive: true }), [['hidden', `${path}/name`]])
    assert.deepEqual(bad('name', { '@type': 'Data', value: 'x' }), [['value', `${path}/name/value`]])
    assert.deepEqual(bad('tenant', { '@type': 'Data', value: 'mine' }), [
      ['writtenByPlugin', `${path}/tenant`],
    ])
    assert.deepEqual(bad('nonsense', { '@type': 'Data', value: 1 }), [
      ['unknownProperty', `${path}/nonsense`],
    ])
    assert.deepEqual(bad('publisher', { '@type': 'ServiceReference' }), [['wrapper', `${path}/publisher`]])
    assert.deepEqual(kinds({ ...text(), 'production/x/MODULE/y': {} }), ['unknownResource'])
    assert.deepEqual(kinds([]), ['object'])
    assert.deepEqual(kinds({ [CORE]: 1 }), ['object'])
  })
})

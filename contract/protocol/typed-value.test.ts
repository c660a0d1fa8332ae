import { test } from 'node:test'
import { accepts, data, reference, refuses } from './testing.ts'
import {
  Data,
  Reference,
  ServiceReference,
  ServiceReferenceList,
  ServiceReferenceMap,
  TypedValue,
} from './typed-value.ts'

const map = (valueMap: unknown) => ({ '@type': 'ServiceReferenceMap', valueMap })
const list = (valueList: unknown) => ({ '@type': 'ServiceReferenceList', valueList })

test('Data wraps any JSON value', () => {
  accepts(Data, data(null), data(0), data(''), data([]), data({ a: [1] }), data(data(1)), data(reference()))
  refuses(Data, 'value', /JSON value/, { '@type': 'Data' }, data(undefined), data(Number.NaN))
  refuses(Data, '', /extra/, { ...data(1), extra: 1 })
})

test('a bare value and a reference are each told how a plugin writes', () => {
  refuses(Data, '', /^Must be wrapped as Data, .*: a bare value is not accepted$/, 1, 'text', null, [])
  refuses(Data, '@type', /: a bare value is not accepted$/, {}, { value: 1 })
  refuses(Data, '@type', /^Must be Data, not a reference: /, reference(), map({}), list([]))
})

test('the sensitive mark is true or absent', () => {
  accepts(Data, { ...data(1), isSensitive: true })
  refuses(
    Data,
    'isSensitive',
    /true or absent/,
    { ...data(1), isSensitive: false },
    { ...data(1), isSensitive: 'true' },
  )
})

test('a reference contains a service and no address or key', () => {
  accepts(ServiceReference, reference())
  refuses(ServiceReference, 'serviceId', /1 to 128/, reference(''), reference('http://a/b'))
  refuses(ServiceReference, '', /url/, { ...reference(), url: 'http://a' })
})

test('a map holds references by business key', () => {
  accepts(ServiceReferenceMap, map({}), map({ 'Primary address': reference(), b: reference() }))
  refuses(ServiceReferenceMap, 'valueMap.constructor', /constructor/, map({ constructor: reference() }))
  refuses(ServiceReferenceMap, 'valueMap.prototype', /prototype/, map({ prototype: reference() }))
  refuses(
    ServiceReferenceMap,
    'valueMap.__proto__',
    /__proto__/,
    map(JSON.parse('{"__proto__": {"@type": "ServiceReference", "serviceId": "a"}}')),
  )
  refuses(ServiceReferenceMap, 'valueMap.a.@type', /ServiceReference/, map({ a: data(1) }), map({ a: {} }))
  refuses(ServiceReferenceMap, 'valueMap', /object/, map([]), map(undefined))
})

test('a list keeps the order of references and allows duplicates', () => {
  accepts(ServiceReferenceList, list([]), list([reference('a'), reference('b'), reference('a')]))
  refuses(ServiceReferenceList, 'valueList', /list/, list({}), list(undefined))
  refuses(ServiceReferenceList, 'valueList.0.@type', /ServiceReference/, list([list([])]))
})

test('a bare value is not a typed value', () => {
  accepts(TypedValue, data(1), reference(), map({}), list([]))
  refuses(TypedValue, '', /wrapped as Data/, 1, 'text', null, [], true)
  refuses(
    TypedValue,
    '@type',
    /wrapped as Data/,
    {},
    { value: 1 },
    { '@type': 'data', value: 1 },
    { '@type': 'Secret' },
  )
})

test('Data is not a reference', () => {
  accepts(Reference, reference(), map({}), list([]))
  refuses(Reference, '@type', /ServiceReferenceList/, data(1))
})

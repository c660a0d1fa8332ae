import type { Explanation } from './comparison.ts'

/** By file of the draft 2020-12: the group of cases, or the group and the case, counted from 0. */
export const JSON_SCHEMA_EXPLANATIONS: readonly Explanation[] = [
  {
    difference: 'refused: $id',
    why: 'a manifest is one document: only its own address may be given, at the top',
    cases: {
      'anchor.json': '1 2 3',
      'dynamicRef.json': '6 11 12 19 20',
      'optional/dynamicRef.json': '0',
      'optional/id.json': '0',
      'optional/unknownKeyword.json': '0',
      'ref.json': '11 15 16 17 18 19 20 28 29 30 31 32',
      'refRemote.json': '4 5 6',
    },
  },
  {
    difference: 'refused: $ref',
    why: 'a reference stays in its schema, and points to where a schema can be: nothing is fetched to publish or to check',
    cases: {
      'defs.json': '0',
      'dynamicRef.json': '17',
      'optional/cross-draft.json': '0',
      'optional/refOfUnknownKeyword.json': '0 1 2 3 4',
      'ref.json': '6 21 26 27',
      'refRemote.json': '0 1 2 3 7 8 9 10 11 12 13 14',
    },
  },
  {
    difference: 'refused: $dynamicRef',
    why: 'not supported, and said so when the manifest is published',
    cases: {
      'dynamicRef.json': '0 1 18',
    },
  },
  {
    difference: 'refused: $dynamicAnchor',
    why: 'not supported, and said so when the manifest is published',
    cases: {
      'dynamicRef.json': '2 3 4 5 7 8 9 10 13 14 15 16',
      'unevaluatedItems.json': '18',
      'unevaluatedProperties.json': '21',
    },
  },
  {
    difference: 'refused: enum',
    why: 'no value can be chosen from an empty list: a mistake of the author',
    cases: {
      'enum.json': '14',
    },
  },
  {
    difference: 'says invalid',
    why: 'format is checked: a form that does not check what its schema names would accept a wrong value; the suite expects an annotation',
    cases: {
      'format.json': '0/6 2/6 3/6 4/6 6/6 7/6 8/6 9/6 10/6 11/6 14/6 15/6 16/6 17/6 18/6',
    },
  },
  {
    difference: 'refused: dependencies',
    why: 'a keyword of earlier drafts, which 2020-12 ignores: refused rather than ignored',
    cases: {
      'optional/dependencies-compatibility.json': '0 1 2 3 4 5 6',
    },
  },
  {
    difference: 'refused: $schema',
    why: 'one dialect; a separate vocabulary could change what every keyword means',
    cases: {
      'optional/format-assertion.json': '0 1',
      'vocabulary.json': '0 1',
    },
  },
  {
    difference: 'says valid',
    why: 'hostname checks the characters and lengths of labels, and does not decode Punycode',
    cases: {
      'optional/format/hostname.json':
        '1/0 1/2 1/3 1/4 1/5 1/8 1/9 1/10 1/11 1/12 1/13 1/15 1/16 1/18 1/19 1/21 1/22 1/24 1/25 1/29 1/32 1/33 1/37',
    },
  },
  {
    difference: 'says valid',
    why: 'an internationalized name is checked like text: idn-hostname, idn-email, iri and iri-reference are annotations',
    cases: {
      'optional/format/idn-email.json': '0/7 0/16',
      'optional/format/idn-hostname.json':
        '0/7 0/8 0/10 0/11 0/13 0/14 0/15 0/16 0/17 0/18 0/19 0/20 0/23 0/24 0/25 0/26 0/27 0/28 0/30 0/31 0/33 0/34 0/36 0/37 0/39 0/40 0/44 0/47 0/48 0/57 0/58 0/59 0/60 0/61 0/62 0/63 0/64 0/65 0/66 0/67 0/68 0/69 1/0 1/1 1/2 1/3 1/8 1/9 1/10 1/11 1/12 1/13 1/14 1/15',
      'optional/format/iri-reference.json': '0/9 0/12',
      'optional/format/iri.json': '0/11 0/12 0/13 0/14 0/15 0/17',
    },
  },
  {
    difference: 'says valid',
    why: 'uri and uri-reference are checked by a pattern that is more lenient than RFC 3986',
    cases: {
      'optional/format/uri-reference.json': '0/21 0/22 0/23 0/24 0/25 0/26',
      'optional/format/uri.json': '0/43 0/44 0/45',
    },
  },
  {
    difference: 'refused: patternProperties',
    why: 'the length of a name has no limit, so a pattern for names must take time in proportion to it: it begins with ^',
    cases: {
      'patternProperties.json': '0',
    },
  },
]

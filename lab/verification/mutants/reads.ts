import { test } from './mutant.ts'
import type { Mutant } from './mutant.ts'

/** Faults of what is shown, and of how much is read for it. */
export const READS: readonly Mutant[] = [
  {
    name: 'past-cause-quotes-a-secret',
    breaks: 'shows the shape of a past cause although a value in it is sensitive now',
    file: 'runtime/use-cases/operations/causes.ts',
    from: '|| !(await areUnmasked(db, vault, failures))) hidden.add(causeId)',
    to: ') hidden.add(causeId)',
    killers: [test('runtime/use-cases/operations/causes.test.ts', 'does not quote a value')],
  },
  {
    name: 'item-shows-what-the-batch-hides',
    breaks: 'shows a value of one target that the definition of another hides',
    file: 'runtime/use-cases/batches/read-batches.ts',
    from: 'isHidden(change) || isMarked(change) ? hide(view) : view',
    to: 'isMarked(change) ? hide(view) : view',
    killers: [test('runtime/batches/batches.test.ts', 'what the definition of another hides')],
  },
  {
    name: 'calls-of-one-microsecond-lost',
    breaks: 'leaves out the calls of a plugin that began when the page ends',
    file: 'runtime/store/plugins/list-calls.ts',
    from: 'where (found.at, found.key) < (cut.at, cut.key))',
    to: 'where found.at <= cut.at)',
    killers: [test('runtime/use-cases/registry/plugin-calls.test.ts', 'in the same microsecond')],
  },
  {
    name: 'retirement-hides-an-unknown-result',
    breaks: 'says nothing of the unknown result of an operation that was taken over',
    file: 'runtime/use-cases/operations/detail.ts',
    from: '(uncertainAttempts > 0 || isUnknownBefore)',
    to: 'uncertainAttempts > 0',
    killers: [test('runtime/rules/retired-plugins.test.ts', 'the operation that was taken over')],
  },
  {
    name: 'limited-search-reads-everything',
    breaks: 'reads all operations of a scope for words that never meet there',
    file: 'runtime/store/operations/list-operations.ts',
    from: '  if (isLimited) {',
    to: '  if (isLimited && terms.length === 0) {',
    killers: [
      test('runtime/use-cases/operations/search-frequent-words.test.ts', 'of a person with one scope'),
    ],
  },
  {
    name: 'reads-without-a-limit',
    breaks: 'writes a row for each place that a plugin reads in a minute',
    file: 'runtime/use-cases/references/record-reads.ts',
    from: '    if (known.size < PLACES_MAX) known.add(place)',
    to: '    known.add(place)',
    killers: [test('runtime/use-cases/references/record-reads.test.ts')],
  },
]

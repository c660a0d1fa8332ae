/** The search in a call's payloads, and the comparison of two attempts. */
export const attemptTools = {
  response: 'Response of attempt {attempt}, run {run}',
  search: 'Search request and responses',
  matches: '{position} of {count}',
  'matches.many': '{position} of {count} or more',
  none: 'No matches',
  previous: 'Previous match',
  next: 'Next match',
  'compare.one': 'There is only one attempt to compare.',
  'compare.before': 'Compare attempt',
  'compare.after': 'With attempt',
  'compare.label': 'Differences between two attempts',
  'compare.request':
    'The requests are identical, byte for byte; each attempt has its own token. Attempts that are not loaded can’t be chosen.',
  'compare.result': 'Result',
  'compare.part': 'Time: {part}',
  'compare.more': {
    one: '{n} further difference in the response is not shown.',
    other: '{n} further differences in the response are not shown.',
  },
} as const

/** A short list of operations on the page of something else. */
export const recentOperations = {
  label: 'Operations',
  type: 'Operation',
  installation: 'Installation',
  state: 'State',
  version: 'Version',
  by: 'Asked for by',
  at: 'When',
  took: 'Took',
  all: 'All of them in the list of operations',
  'none.title': 'No operations',
  'none.message': 'There was none yet.',
} as const

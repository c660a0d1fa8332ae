/** The short list of operations on other pages. */
export const recentOperations = {
  label: 'Operations',
  type: 'Operation',
  installation: 'Installation',
  state: 'State',
  version: 'Version',
  by: 'Requested by',
  at: 'Created',
  runTime: 'Duration',
  all: 'View all operations',
  'none.title': 'No operations yet',
  'none.message': 'Operations appear here when they are requested.',
} as const

/** Rows that are selected in a list, and what can be done to all of them as a batch. */
export const selection = {
  row: 'Select {name}',
  page: 'Select all on this page',
  bar: 'Selection',
  count: { one: '{n} selected', other: '{n} selected' },
  all: 'Select all that match',
  noneFailed: 'Only failed operations can be retried or taken over.',
  clear: 'Clear',
  tooMany: 'A batch has at most {max} targets. The first {max} are selected.',
  'action.RETRY': 'Retry',
  'action.TAKEOVER': 'Take over and detach',
  'action.UPGRADE': 'Upgrade',
  'action.DOWNGRADE': 'Downgrade',
  'action.CONFIGURE': 'Set a property',
  'action.DETACH': 'Detach',
} as const

/** What an operation will do, shown before it starts. */
export const plans = {
  title: 'What will happen',
  downgrade: 'This is a downgrade from {from} to {to}.',
  calls: 'What the operation does, in order',
  resources: 'The new values are applied and verified.',
  'resources.DETACH': 'The resources are removed once all plugins have finished.',
  noPlugin: 'No plugins are called.',
  order: 'Order. Plugins with the same order are called in parallel.',
  reads: 'reads {properties}',
  writes: 'may write {properties}',
  'availability.DISABLED': 'disabled: the call will fail',
  'availability.NOT_REGISTERED': 'not registered: the call will fail',
  changes: { one: '{n} value changes', other: '{n} values change' },
  'changes.none': 'No values change.',
  'changes.label': 'Changed values',
  problems: 'This would be refused',
} as const

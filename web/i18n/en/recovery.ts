/** The dialogs that retry a failed operation, stop its automatic retries, or take it over. */
export const recovery = {
  'stop.title': 'Stop the automatic retries?',
  'stop.confirm': 'Stop retrying',
  'stop.about':
    'The operation fails now and keeps the installation locked. You can then retry it or take it over.',
  'stop.unknown':
    'The result of the last call stays unknown. A response that arrives later is recorded and changes nothing.',
  'retry.title': 'Retry this operation?',
  'retry.begins': 'Resumes at {plugins} in {stage}. Successful calls are skipped.',
  'retry.beginsRuntime': 'Resumes in {stage}. Successful calls are skipped.',
  'retry.same':
    'The runtime sends the identical request: same operation ID, stage, and sequence. Plugins are expected to handle repeats safely.',
  'retry.run': 'This will be run {n}.',
  'retry.warn': 'Without a change, this will most likely fail again',
  'retry.warnText': 'The failure is marked as not retryable: {message}',
  'retry.confirm': 'Retry',
  'retry.reason': 'Reason',
  'retry.accepted': 'Retry started. The result will appear here.',
  'takeover.title': 'Take over and detach?',
  'takeover.warning': 'This cannot be undone',
  'takeover.ends': 'This operation ends as “Taken over” and can never be retried.',
  'takeover.detaches': '{bundle} is detached from {scope}.',
  'takeover.references': 'This installation’s references stop resolving.',
  'takeover.again': 'You can install the bundle again afterwards, starting from its last configuration.',
  'takeover.calls': 'The detach operation calls these plugins, in this order',
  'takeover.lastResult': 'Last result',
  'takeover.lastResponse': 'Last response',
  'takeover.noPlugins': 'No plugins are called. The runtime detaches the installation itself.',
  'takeover.reason': 'Reason for takeover',
  'takeover.confirm': 'Take over and detach',
  'takeover.accepted': 'Takeover started. The result will appear here.',
} as const

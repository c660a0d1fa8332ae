/** The zoom of the timeline, and how the time of an attempt was spent. */
export const operationTimeline = {
  'zoom.label': 'Timeline zoom',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  all: 'Show all',
  earlier: 'Earlier',
  later: 'Later',
  isWhole: 'The whole operation is shown.',
  isClosest: 'The timeline can’t zoom in further.',
  shown: 'Shown: {from} to {to}, {duration}',
  zone: 'Times in {zone}',
  'part.backOff': 'Back-off',
  'part.backOff.meaning': 'The pause before a retry, counted from the end of the previous attempt.',
  'part.worker': 'Waiting for a worker',
  'part.worker.meaning':
    'The call was due, but no worker had started it yet, or the plugin already had as many calls as it may have at once.',
  'part.network': 'Network',
  'part.network.meaning':
    'Waiting for a connection to the plugin: a free connection, name resolution, TCP, and TLS.',
  'part.plugin': 'Plugin',
  'part.plugin.meaning':
    'From sending the request to receiving the whole response or giving up. This includes the network round trip, which can’t be measured separately.',
  'part.recording': 'Recording',
  'part.recording.meaning':
    'The runtime stored the start and the result of the attempt. Only the total is known, so it is drawn at the end.',
  'part.unknown': 'Not measured',
  'part.unknown.meaning': 'The runtime did not measure how this time was spent.',
  'part.about': 'About these times',
  'attempt.title': 'Where the time went',
  'attempt.began': 'Response began after',
  'attempt.unknown': 'The runtime did not measure this attempt, or did not send it.',
  'attempt.notYet': 'The rest is known once the attempt ends.',
} as const

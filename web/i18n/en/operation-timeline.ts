/** The zoom of the timeline, and how the time of an attempt was spent. */
export const operationTimeline = {
  'zoom.label': 'Zoom of the timeline',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  all: 'Show all',
  earlier: 'Earlier',
  later: 'Later',
  isWhole: 'The whole operation is shown.',
  isClosest: 'The timeline cannot show less time.',
  shown: 'Shown: {from} to {to}, {duration}',
  zone: 'Times in {zone}',
  'part.backOff': 'Back-off',
  'part.backOff.meaning': 'The pause before a retry, from the end of the attempt before it.',
  'part.worker': 'Waiting for a worker',
  'part.worker.meaning':
    'The call could be made, but no worker had started it, or the plugin had all the calls that it may have at once.',
  'part.network': 'Network',
  'part.network.meaning': 'The wait for a connection to the plugin: a free one, its name, TCP, TLS.',
  'part.plugin': 'Plugin',
  'part.plugin.meaning':
    'From the request to the whole response, or to the end of the wait for it. It includes the way there and back, which cannot be measured apart.',
  'part.recording': 'Recording',
  'part.recording.meaning':
    'The runtime stored the start of the attempt and its result. It is drawn at the end, because only the sum is known.',
  'part.unknown': 'Not known',
  'part.unknown.meaning': 'The runtime did not measure how this time was spent.',
  'part.about': 'About these times',
  'attempt.title': 'Where the time went',
  'attempt.began': 'Response began after',
  'attempt.unknown': 'The runtime did not measure this attempt, or did not send it.',
  'attempt.notYet': 'The other parts are known when the attempt ends.',
} as const

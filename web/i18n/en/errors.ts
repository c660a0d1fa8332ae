/** How an error is shown. The titles and remedies of single codes in Chinese stand in `zh/errors.ts` by code. */
export const errors = {
  code: 'Code',
  requestId: 'Request id',
  trail: 'Trail',
  'trail.label': 'Services that the failure came through, outermost first',
  remedy: 'What to do',
  retryable: 'The same request can be sent again.',
  notRetryable: 'Sending the same request again will not help before the cause is mended.',
  'network.title': 'The console cannot be reached',
  'network.message': 'The request did not get through. It is not known whether it arrived.',
  'network.remedy': 'Check the network, then try again. Nothing that you typed is lost.',
  'unknown.title': 'Something went wrong',
  'unknown.message': 'The answer could not be understood.',
  'unknown.remedy': 'Try again; if it stays, give the request id to whoever runs the console.',
  'unknownCode.remedy':
    'See the message; if it does not help, ask whoever runs the service that it came from.',
} as const

/** The labels of an error view, and the fallback texts. Single codes are in `codes.ts`. */
export const errors = {
  code: 'Error code',
  requestId: 'Request ID',
  trail: 'Error path',
  'trail.label': 'Services the error passed through, outermost first',
  remedy: 'What to do',
  notRetryable: 'Fix the cause before you send the request again.',
  'address.title': 'Not found',
  'address.message': 'The ID in the address is not valid.',
  'address.remedy': 'Check the link, or open the page from its list.',
  'unknown.title': 'Something went wrong',
  'unknown.message': 'The response could not be read.',
  'unknown.remedy': 'Try again. If this continues, contact your administrator.',
} as const

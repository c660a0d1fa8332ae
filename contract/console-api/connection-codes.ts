/** Title of an error code, its meaning for failures without a message, and what to do about it. */
export interface CatalogueEntry {
  title: string
  message: string
  remedy: string
}

/**
 * The codes that the browser itself gives to a response of a proxy, which has no texts. They are a part of the catalogue,
 * in a separate module so that the browser need not load the others.
 */
export const connectionCodes = {
  AUTHENTICATION_REQUIRED: {
    title: 'You are not signed in',
    message: 'Your session has ended or was never started.',
    remedy: 'Sign in. Your unsaved changes are kept.',
  },
  RATE_LIMITED: {
    title: 'Too many requests',
    message: 'Too many requests were sent in a short time.',
    remedy: 'Wait a moment, then try again.',
  },
  SERVICE_UNAVAILABLE: {
    title: 'Temporarily unavailable',
    message: 'The service is starting, stopping, or overloaded.',
    remedy: 'Try again in a moment.',
  },
  UPSTREAM_TIMEOUT: {
    title: 'The runtime did not respond in time',
    message: 'We don’t know yet whether the request was carried out.',
    remedy: 'Try again: the same request is never carried out twice.',
  },
  UPSTREAM_INVALID: {
    title: 'Unexpected response from the runtime',
    message: 'The response from the runtime could not be read.',
    remedy: 'Try again. If this continues, send the request ID to your administrator.',
  },
} satisfies Readonly<Record<string, CatalogueEntry>>

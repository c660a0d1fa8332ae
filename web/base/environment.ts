/** False in unit tests, which import some of these modules without a browser. */
export const isBrowser = typeof document !== 'undefined'

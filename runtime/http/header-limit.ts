/** The headers of a request: an assertion has the permissions of the person in each of up to 500 scopes. */
export const HEADER_BYTES_MAX = 512 * 1024

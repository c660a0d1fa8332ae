/** A failure that the reference plugin reports. */
export class Refusal extends Error {
  readonly code: string
  readonly isRetryable: boolean

  constructor(code: string, message: string, isRetryable = false) {
    super(message)
    this.code = code
    this.isRetryable = isRetryable
  }
}

/** The keys of the platform cannot be fetched. */
export class Unavailable extends Error {}

/** The token is not accepted. */
export class Unauthorized extends Error {}

/**
 * The download of a receipt as a command for a POSIX shell. The person provides their session in a variable: a command
 * in a ticket must not contain it.
 *
 * @param origin The console's origin, such as `https://console.example.com`.
 */
export const receiptCommand = (origin: string, operationId: string): string =>
  [
    'curl --fail-with-body --cookie "$CONSOLE_COOKIE"',
    `--header 'X-Requested-By: console'`,
    `--output 'receipt-${operationId}.json'`,
    `'${origin}/api/operations/${operationId}/receipt'`,
  ].join(' ')

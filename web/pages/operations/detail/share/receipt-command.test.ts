import assert from 'node:assert/strict'
import { test } from 'node:test'
import { receiptCommand } from './receipt-command.ts'

test('the command has the address, the required header, and no session', () => {
  assert.equal(
    receiptCommand('https://console.example.com', '01900000-0000-7000-8000-000000000001'),
    `curl --fail-with-body --cookie "$CONSOLE_COOKIE" --header 'X-Requested-By: console' ` +
      `--output 'receipt-01900000-0000-7000-8000-000000000001.json' ` +
      `'https://console.example.com/api/operations/01900000-0000-7000-8000-000000000001/receipt'`,
  )
})

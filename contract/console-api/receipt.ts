// The schema that a receipt from a file is checked with; only the page that opens one loads it.
export { OperationReceipt, RECEIPT_FORMAT, RECEIPT_VERSION } from '#contract/runtime-api/receipts.ts'

/** One worker's hold on one operation. Each later lease of the operation has a higher epoch. */
export interface Lease {
  operationId: string
  owner: string
  epoch: number
}

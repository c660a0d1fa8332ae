/** One worker's hold on one operation; whoever claims it later has a higher epoch. */
export interface Lease {
  operationId: string
  owner: string
  epoch: number
}

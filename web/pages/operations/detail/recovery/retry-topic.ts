/** The topic of the toast which says that a run has started; it is dismissed when the run has ended. */
export const retryTopic = (operationId: string, run: number): string => `${operationId} run ${run}`

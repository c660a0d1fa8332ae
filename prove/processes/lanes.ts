/** Does all the work, so many pieces at once, and gives the results in the order of the work. */
export async function inLanes<Work, Result>(
  lanes: number,
  work: readonly Work[],
  doOne: (piece: Work) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    for (let index = next++; index < work.length; index = next++) {
      const piece = work[index]
      if (piece !== undefined) results[index] = await doOne(piece)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
